// race.cc: two threads and one counter: what ThreadSanitizer must find, or it finds nothing here.
#include <cstdio>
#include <thread>

int main() {
  int counter = 0;
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) ++counter;
  });
  for (int i = 0; i < 1000; ++i) ++counter;
  other.join();
  std::printf("%d\n", counter);
}
