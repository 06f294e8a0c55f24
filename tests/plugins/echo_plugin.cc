// echo_plugin.cc: answers each line of JSON with one: the least that a server over stdio does.
// Not here: JSON itself: a line that comes is taken for a value.
#include <iostream>
#include <string>

int main() {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << R"({"echo": )" << line << R"(, "by": "binary"})" << std::endl;
}
