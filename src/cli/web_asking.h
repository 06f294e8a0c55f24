// web_asking.h: puts the questions of a run on a web page of its own, while the command runs.
// Invariant: where there is no page, everything is refused: nobody waits for an answer that cannot come.
// Not here: the page's program (web_face.h), what it watches (session/live_board.h).
#pragma once

#include <memory>
#include <optional>

#include "base/host_view.h"
#include "cli/web_face.h"
#include "session/board.h"
#include "session/live_board.h"

namespace pinfold::cli {

class WebAsking final : public session::Face {
 public:
  WebAsking(session::Board& board, session::LiveBoard::Description description, HostView& host)
      : board_(board), description_(std::move(description)), host_(host) {}

  void begin(sys::EventLoop& loop, supervisor::Streams& streams) override;
  void end() override;
  // Whoever watches is told by the live board.
  void asked(const AccessQuestion& question) override { static_cast<void>(question); }
  void settled(const AccessQuestion& question, std::optional<Answer> answer) override {
    static_cast<void>(question), static_cast<void>(answer);
  }

 private:
  Result<void> open(sys::EventLoop& loop);

  session::Board& board_;
  session::LiveBoard::Description description_;
  HostView& host_;
  std::unique_ptr<session::LiveBoard> live_;
  std::optional<WebFace> page_;
};

}  // namespace pinfold::cli
