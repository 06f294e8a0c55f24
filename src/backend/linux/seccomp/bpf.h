// bpf.h: the few instructions that the filter is made of, by name.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pinfold::backend::on_linux::bpf {

using Code = std::vector<sock_filter>;

inline sock_filter op(std::uint16_t code, std::uint32_t k, std::uint8_t yes = 0, std::uint8_t no = 0) {
  return sock_filter{code, yes, no, k};
}
inline sock_filter load(std::uint32_t offset) { return op(BPF_LD | BPF_W | BPF_ABS, offset); }
// The low half of an argument: flags, modes and families are 32 bits wide in the kernel too, so high bits change
// nothing.
inline sock_filter load_argument(unsigned index) {
  return load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * index));
}
inline sock_filter answer(std::uint32_t action) { return op(BPF_RET | BPF_K, action); }
inline sock_filter errno_answer(int error) { return answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
inline sock_filter allow() { return answer(SECCOMP_RET_ALLOW); }

// if (A == k) return `then`;
inline void when_equal(Code& code, std::uint32_t k, sock_filter then) {
  code.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1));
  code.push_back(then);
}
// if (A & k) return `then`;
inline void when_any_bit(Code& code, std::uint32_t k, sock_filter then) {
  code.push_back(op(BPF_JMP | BPF_JSET | BPF_K, k, 0, 1));
  code.push_back(then);
}

}  // namespace pinfold::backend::on_linux::bpf
