// canary.cc: a process on the host with all that an escape would want: a secret in its environment, memory, descriptor,
// keyring and shared memory, and listeners that answer with a secret and tell the suite that they were asked.
// Invariant: ends when its stdin closes, and takes its key and shared memory along.
// Not here: any attempt.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

char memory[128];                // what an escape would read
char scratch[16] = "untouched";  // what an escape would write

struct Listener {
  int fd;
  const char* name;
  bool datagram;
};

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

int checked(int fd, const char* what) {
  if (fd < 0) give_up(what);
  return fd;
}

int inet(int type, unsigned& port) {
  int fd = checked(::socket(AF_INET, type | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  checked(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), "bind");
  socklen_t size = sizeof address;
  checked(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  port = ::ntohs(address.sin_port);
  if (type == SOCK_STREAM) checked(::listen(fd, 16), "listen");
  return fd;
}

int local(int type, const std::string& name) {
  int fd = checked(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0), "socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) give_up("the socket's path is too long");
  std::memcpy(address.sun_path, name.data(), name.size());
  bool abstract = name[0] == '@';
  if (abstract) address.sun_path[0] = '\0';
  if (!abstract) ::unlink(name.c_str());
  auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (abstract ? 0 : 1));
  checked(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), "bind");
  if (type == SOCK_STREAM) checked(::listen(fd, 16), "listen");
  return fd;
}

// Reported before the answer: a client may look for the report as soon as it has the answer.
void tell(const Listener& listener) {
  std::printf("hit %s\n", listener.name);
  std::fflush(stdout);
}

void answer(const Listener& listener, const std::string& secret) {
  std::string text = secret + "-" + listener.name;
  if (listener.datagram) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    char byte = 0;
    if (::recvfrom(listener.fd, &byte, 1, 0, reinterpret_cast<sockaddr*>(&from), &size) < 0) return;
    tell(listener);
    ::sendto(listener.fd, text.data(), text.size(), MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), size);
  } else {
    int peer = ::accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) return;
    tell(listener);
    ::send(peer, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::close(peer);
  }
}

}  // namespace

// canary SECRET RUN-DIRECTORY FILE-TO-HOLD SECRET-ARGUMENT
int main(int argc, char** argv) {
  if (argc < 4) return 2;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  checked(::chdir("/"), "chdir");  // so that /proc/N/cwd leads somewhere
  std::string secret = argv[1];
  std::string directory = argv[2];
  std::snprintf(memory, sizeof memory, "%s-memory", secret.c_str());
  int held = checked(::open(argv[3], O_RDONLY | O_CLOEXEC), argv[3]);
  checked(::dup2(held, 9), "dup2");

  std::string key_text = secret + "-key";
  long key = ::syscall(SYS_add_key, "user", (secret + "-name").c_str(), key_text.data(), key_text.size(),
                       KEY_SPEC_USER_KEYRING);
  if (key >= 0) ::syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, 600);

  int segment = checked(::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600), "shmget");
  auto* shared = static_cast<char*>(::shmat(segment, nullptr, 0));
  std::snprintf(shared, 4096, "%s-shared", secret.c_str());
  // It goes with this process, also when that is killed; until then Linux lets others attach by its number.
  ::shmctl(segment, IPC_RMID, nullptr);

  unsigned tcp_port = 0;
  unsigned udp_port = 0;
  std::vector<Listener> listeners = {
      {inet(SOCK_STREAM, tcp_port), "tcp", false},
      {inet(SOCK_DGRAM, udp_port), "udp", true},
      {local(SOCK_STREAM, directory + "/stream"), "pathname-stream", false},
      {local(SOCK_DGRAM, directory + "/datagram"), "pathname-datagram", true},
      {local(SOCK_STREAM, "@" + secret + "-stream"), "abstract-stream", false},
      {local(SOCK_DGRAM, "@" + secret + "-datagram"), "abstract-datagram", true},
  };
  std::printf("ready memory=%p scratch=%p tcp=%u udp=%u segment=%d\n", static_cast<void*>(memory),
              static_cast<void*>(scratch), tcp_port, udp_port, segment);
  std::fflush(stdout);

  std::vector<pollfd> waiting{{0, POLLIN, 0}};
  for (const Listener& listener : listeners) waiting.push_back({listener.fd, POLLIN, 0});
  while (::poll(waiting.data(), waiting.size(), -1) >= 0) {
    if (waiting[0].revents != 0) {
      char byte = 0;
      if (::read(0, &byte, 1) != 1) break;
      // The writer of this line asks for a report of every connection so far.
      while (::poll(waiting.data() + 1, listeners.size(), 0) > 0)
        for (std::size_t i = 0; i < listeners.size(); ++i)
          if (waiting[i + 1].revents != 0) answer(listeners[i], secret);
      std::puts("all reported");
      std::fflush(stdout);
      continue;
    }
    for (std::size_t i = 0; i < listeners.size(); ++i) {
      if (waiting[i + 1].revents != 0) answer(listeners[i], secret);
    }
  }
  if (key >= 0) ::syscall(SYS_keyctl, KEYCTL_INVALIDATE, key);
  return 0;
}
