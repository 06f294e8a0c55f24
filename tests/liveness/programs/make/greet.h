#pragma once

#include <string>

std::string greet(int threads);
