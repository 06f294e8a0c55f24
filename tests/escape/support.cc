// support.cc: texts and files for the suites.
// Not here: running commands (run.cc).
#include "support.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace escape {

void give_up(const std::string& what) {
  throw std::runtime_error(errno != 0 ? what + ": " + std::strerror(errno) : what);
}

std::string read_file(const std::string& path) {
  // Not by a stream: files in /proc may fail while they are read, which streams throw about.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return "";
  std::string content;
  char buffer[16384];
  for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof buffer)) > 0;) {
    content.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(fd);
  return content;
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) give_up("writing " + path);
}

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

std::string hex_nonce() {
  unsigned char bytes[6];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) give_up("getrandom");
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string fill_in(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    std::string mark = "{" + name + "}";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

Texts fill_in(const Texts& texts, const std::map<std::string, std::string>& values) {
  Texts filled;
  for (const std::string& text : texts) filled.push_back(fill_in(text, values));
  return filled;
}

std::string one_line(const std::string& text, std::size_t limit) {
  std::string line;
  for (char c : text) {
    if (line.size() >= limit) break;
    auto byte = static_cast<unsigned char>(c);
    line += byte >= 0x20 && byte < 0x7f ? c : ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace escape
