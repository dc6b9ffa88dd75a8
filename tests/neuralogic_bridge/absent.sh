#!/bin/sh
# Where the bridge is not built: skipped, but with CI=true a failure.
echo "vecc-neuralogic is not built: it needs a JDK (default-jdk-headless) and NeuraLogic.jar;"
echo "  .venv/bin/pip install -r tools/neuralogic-bridge/requirements.txt, or -DVECC_NEURALOGIC_JAR=FILE"
if [ "${CI-}" = true ]; then exit 1; fi
exit 77
