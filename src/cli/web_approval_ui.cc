// web_approval_ui.cc: a socket, a page, and a line that says where it is.
#include "cli/web_approval_ui.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "base/try.h"
#include "cli/process_io.h"
#include "cli/web_program.h"
#include "report/outcome.h"
#include "session/live_approvals.h"
#include "sys/outbox.h"

namespace pinfold::cli {
namespace {

class WebAsking final : public session::Face {
 public:
  WebAsking(session::Board& board, session::LiveBoard::Description description, HostView& host)
      : board_(board), description_(std::move(description)), host_(host) {}

  void begin(sys::EventLoop& loop, supervisor::Streams& streams) override {
    static_cast<void>(streams);
    messages_.open(loop, STDERR_FILENO);
    if (const auto opened = open(loop); !opened) {
      page_.reset();
      live_.reset();
      const SetupFailed failed{SetupStage::kSandbox,
                               "nobody can be asked, so everything is refused: " + opened.error().text(),
                               opened.error().fix()};
      messages_.say(report::outcome_message(failed, colour_for(STDERR_FILENO, host_)));
      return board_.refuse_all(opened.error().text());
    }
    messages_.say("pinfold: answer questions at " + page_->link() + " (it opens once)\n");
  }
  void end() override {
    messages_.close();
    page_.reset();
    live_.reset();
  }
  // Whoever watches is told by the live board.
  void asked(const AccessQuestion& question) override { static_cast<void>(question); }
  void settled(const AccessQuestion& question, std::optional<Answer> answer) override {
    static_cast<void>(question), static_cast<void>(answer);
  }

 private:
  Result<void> open(sys::EventLoop& loop) {
    PF_TRY(live, session::LiveBoard::open(board_, description_, loop, host_), "");
    live_ = std::move(live);
    PF_TRY(page, WebFace::start(live_->id()), "");
    page_.emplace(std::move(page));
    return {};
  }

  session::Board& board_;
  session::LiveBoard::Description description_;
  HostView& host_;
  std::unique_ptr<session::LiveBoard> live_;
  std::optional<WebFace> page_;
  sys::Outbox messages_;  // the command runs already: a reader that has stopped must not delay its time-out
};

}  // namespace

std::unique_ptr<session::Face> make_web_asking(session::Board& board, std::vector<std::string> command,
                                               std::string workspace, HostView& host) {
  return std::make_unique<WebAsking>(
      board, session::LiveBoard::Description{std::move(command), std::move(workspace), {}}, host);
}

}  // namespace pinfold::cli
