// name_table.h: the synthetic addresses: each queried name has its own for the whole run.
// Invariant: an address never changes its name; never more names than the limit.
// Not here: listeners, DNS, whether a name is granted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "net/address.h"

namespace pinfold::net {

struct AddressSpace {
  Address v4_first;  // given out upwards from here
  std::uint32_t v4_count = 0;
  std::optional<Address> v6_first;  // none: no IPv6 inside

  // With a route of our own: 198.18.0.0/15, which is reserved for benchmarks (RFC 2544), and a unique local prefix. The
  // first and the last 256 addresses are reserved, for example for the DNS stub.
  static AddressSpace routed();
  // Without: loopback has 127.0.0.0/8 anyway, but only ::1 of IPv6.
  static AddressSpace loopback();
};

struct NameEntry {
  Address v4;
  std::optional<Address> v6;
};

class NameTable {
 public:
  NameTable(AddressSpace space, std::size_t most_names) : space_(space), most_(most_names) {}

  // No value when the table is full.
  const NameEntry* find_or_add(std::string_view name);
  const std::map<std::string, NameEntry, std::less<>>& names() const { return names_; }
  // The name of this address; null: none.
  const std::string* name_of(const Address& address) const;
  // IPv6 does not work inside: no name gets it from now on.
  void without_v6();

 private:
  AddressSpace space_;
  std::size_t most_;
  std::uint32_t next_ = 0;
  std::map<std::string, NameEntry, std::less<>> names_;
};

}  // namespace pinfold::net
