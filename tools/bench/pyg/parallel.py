"""Several cases at a time: each worker has its own tools and its own folder."""

import queue
from concurrent.futures import ThreadPoolExecutor

from check_case import check_case
from vecc_run import Tools


def check_in_parallel(work, settings, datasets, folder):
    """Rows of each (case, runs), in their order, as soon as they and all before are there."""
    workers = queue.SimpleQueue()
    everyone = []
    for number in range(settings.jobs):
        own = folder / f"worker{number}"
        own.mkdir(exist_ok=True)
        everyone.append(Tools(settings.vecc, settings.vecc_import))
        workers.put((everyone[-1], own))

    def check(item):
        case, runs = item
        tools, own = workers.get()
        try:
            return check_case(case, runs, tools, datasets, own, settings)
        except Exception as error:  # one case that fails does not hide the others
            why = f"{type(error).__name__}: {error}".splitlines()
            return [{"case": str(case), "set": case.set, "model": case.model, "run": str(run),
                     "verdict": "FAILED", "why": why} for run in runs]
        finally:
            workers.put((tools, own))

    try:
        with ThreadPoolExecutor(settings.jobs) as pool:
            yield from pool.map(check, work)
    finally:
        for tools in everyone:
            tools.close()
