// The precompiled header of the tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prelude.h"
