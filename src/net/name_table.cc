// name_table.cc: gives out addresses in order.
#include "net/name_table.h"

namespace pinfold::net {

AddressSpace AddressSpace::routed() {
  // "pinfold" in hexadecimal, after the fd of a unique local address.
  return {Address::v4(0xc6120100), 0x20000 - 0x200, Address::parse("fd70:696e:666f:6c64::1")};
}

AddressSpace AddressSpace::loopback() { return {Address::v4(0x7f400001), 0x400000 - 1 - 256, std::nullopt}; }

const NameEntry* NameTable::find_or_add(std::string_view name) {
  if (auto found = names_.find(name); found != names_.end()) return &found->second;
  if (names_.size() >= most_ || next_ >= space_.v4_count) return nullptr;
  NameEntry entry{Address::v4(space_.v4_first.v4_bits() + next_), std::nullopt};
  if (space_.v6_first) {
    auto bytes = space_.v6_first->bytes();
    std::uint32_t number = next_;
    for (std::size_t i = 15; number != 0 && i >= 8; --i) {
      number += bytes[i];
      bytes[i] = static_cast<std::uint8_t>(number & 0xff);
      number >>= 8;
    }
    entry.v6 = Address::v6(bytes);
  }
  ++next_;
  return &names_.emplace(name, entry).first->second;
}

const std::string* NameTable::name_of(const Address& address) const {
  for (const auto& [name, entry] : names_)
    if (entry.v4 == address || entry.v6 == address) return &name;
  return nullptr;
}

void NameTable::without_v6() {
  space_.v6_first.reset();
  for (auto& [name, entry] : names_) entry.v6.reset();
}

}  // namespace pinfold::net
