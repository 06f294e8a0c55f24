// peer.cc: searches the kernel's list of connections.
#include "web/peer.h"

#include <sys/socket.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

namespace pinfold::web {
namespace {

// The notation of the file: the address as one number in host byte order.
std::string shown(const sockaddr_in& address) {
  return fmt::format("{:08X}:{:04X}", address.sin_addr.s_addr, ntohs(address.sin_port));
}

constexpr std::string_view kMapped = "0000000000000000FFFF0000";  // an IPv4-mapped address of an IPv6 socket

std::string_view next_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return line = {};
  const std::size_t end = line.find(' ', begin);
  const std::string_view word = line.substr(begin, end == std::string_view::npos ? end : end - begin);
  line = end == std::string_view::npos ? std::string_view() : line.substr(end);
  return word;
}

bool is(std::string_view word, std::string_view address) {
  if (word.starts_with(kMapped)) word.remove_prefix(kMapped.size());
  return word == address;
}

}  // namespace

std::optional<std::uint32_t> owner_in(std::string_view table, const sockaddr_in& from, const sockaddr_in& to) {
  const std::string own = shown(from);
  const std::string other = shown(to);
  while (!table.empty()) {
    const std::size_t end = table.find('\n');
    std::string_view line = table.substr(0, end);
    table = end == std::string_view::npos ? std::string_view() : table.substr(end + 1);
    next_word(line);  // its number
    if (!is(next_word(line), own) || !is(next_word(line), other)) continue;
    for (int skipped = 0; skipped < 4; ++skipped) next_word(line);  // state, queues, timer, retransmissions
    const std::string_view text = next_word(line);
    std::uint32_t owner = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), owner);
    if (error != std::errc() || text.empty() || stop != text.data() + text.size()) return std::nullopt;
    return owner;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> owner_of_peer(int socket) {
  sockaddr_in own{};
  sockaddr_in peer{};
  socklen_t own_size = sizeof own;
  socklen_t peer_size = sizeof peer;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0 || own.sin_family != AF_INET ||
      peer.sin_family != AF_INET)
    return std::nullopt;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (const auto owner = owner_in(text.view(), peer, own)) return owner;
  }
  return std::nullopt;
}

}  // namespace pinfold::web
