// web_asking.cc: a socket, a page, and a line that says where it is.
#include "cli/web_asking.h"

#include <unistd.h>

#include <utility>

#include "base/try.h"
#include "cli/surroundings.h"

namespace pinfold::cli {

Result<void> WebAsking::open(sys::EventLoop& loop) {
  PF_TRY(live, session::LiveBoard::open(board_, description_, loop, host_), "");
  live_ = std::move(live);
  PF_TRY(page, WebFace::start(live_->id()), "");
  page_.emplace(std::move(page));
  return {};
}

void WebAsking::begin(sys::EventLoop& loop, supervisor::Streams& streams) {
  static_cast<void>(streams);
  if (const auto opened = open(loop); !opened) {
    end();
    print_error("nobody can be asked, so everything is refused: " + opened.error().text(), opened.error().fix(), host_);
    return board_.refuse_all("there is no page");
  }
  print(STDERR_FILENO, "pinfold: answer questions at " + page_->link() + " (it opens once)\n");
}

void WebAsking::end() {
  page_.reset();
  live_.reset();
}

}  // namespace pinfold::cli
