#include "greet.h"

std::string greet(int threads) { return "hello from 2 files, " + std::to_string(threads) + " threads"; }
