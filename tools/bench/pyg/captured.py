"""Steps recorded once as a CUDA graph and launched whole after that, as PyTorch's documentation
shows it."""

import torch

from peer_runs import Absent, Training, first_line

WARMUP = 3  # runs before the recording: libraries choose algorithms, Adam makes its state


class Captured:
    """Calling it launches the graph; `result` is what the step returned, and is written anew."""

    def __init__(self, step, device):
        stream = torch.cuda.Stream(device)
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(stream):
            for _ in range(WARMUP):
                step()
        torch.cuda.current_stream(device).wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(self.graph):
                self.result = step()
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:
            raise Absent(f"it cannot be captured: {first_line(error)}", "") from error

    def __call__(self):
        self.graph.replay()
        return self.result


def check_device(device):
    if device.type != "cuda":
        raise Absent("CUDA graphs are captured on a GPU only", "--device=cuda")


class CapturedTraining:
    """A step of Adam on all samples as one graph."""

    def __init__(self, problem, known):
        parameters = list(problem.network.parameters())
        before = [parameter.detach().clone() for parameter in parameters]
        training = Training(parameters, known, capturable=True)
        self.replay = Captured(lambda: training.start_step(problem.network, problem.arguments,
                                                           problem.targets), known.device)
        self.losses = []
        with torch.no_grad():  # as if nothing had been learned
            for parameter, value in zip(parameters, before):
                parameter.copy_(value)
            for state in training.optimizer.state.values():
                for value in state.values():
                    value.zero_()

    def step(self):
        self.losses.append(self.replay().item())
