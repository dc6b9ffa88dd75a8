// What the precompiled header belongs to (VeccTargets.cmake).
