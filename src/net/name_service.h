// name_service.h: the interface by which the DNS stub looks up a name.
// Invariant: each lookup is answered once, at once or later.
// Not here: DNS messages.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "net/address.h"
#include "net/dns_message.h"

namespace pinfold::net {

struct NameAnswer {
  enum class Kind {
    kAddresses,  // all addresses; a family without one has no data
    kNoData,
    kNoName,  // not granted, or it does not exist outside either
    kFailed,  // for now
  };
  Kind kind = Kind::kFailed;
  std::optional<Address> v4, v6;
  std::string why;
};

class NameService {
 public:
  virtual ~NameService() = default;
  virtual void look_up(const dns::Query& query, std::function<void(const NameAnswer&)> done) = 0;
};

}  // namespace pinfold::net
