#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

#include "greet.h"

int main() {
  std::atomic<int> ran = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&ran] { ++ran; });
  for (auto& thread : threads) thread.join();
  std::cout << greet(ran) << '\n';
}
