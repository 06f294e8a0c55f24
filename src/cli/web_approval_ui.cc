// web_approval_ui.cc: opens a control socket, starts the page and prints its link.
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

class WebApprovalUi final : public session::ApprovalUi {
 public:
  WebApprovalUi(session::ApprovalQueue& queue, session::LiveApprovals::Description description, HostView& host)
      : queue_(queue), description_(std::move(description)), host_(host) {}

  void begin(sys::EventLoop& loop, supervisor::Streams& streams) override {
    static_cast<void>(streams);
    loop_ = &loop;
    messages_.open(loop, STDERR_FILENO);
    if (const auto opened = open(loop); !opened) fail_page(opened.error());
  }
  void end() override {
    messages_.close();
    close();
  }
  // The page learns of requests through the control socket.
  void requested(const ApprovalRequest& request) override { static_cast<void>(request); }
  void settled(const ApprovalRequest& request, std::optional<ApprovalDecision> decision) override {
    static_cast<void>(request), static_cast<void>(decision);
  }

 private:
  Result<void> open(sys::EventLoop& loop) {
    PF_TRY(live, session::LiveApprovals::open(queue_, description_, loop, host_));
    live_ = std::move(live);
    PF_TRY(page, WebProgram::start(live_->id()));
    page_.emplace(std::move(page));
    PF_CHECK(loop.add(page_->link_socket(), sys::EventLoop::Interest::kRead, [this] { read_link(); }));
    reads_link_ = true;
    late_ = loop.after(WebProgram::kLinkTimeout,
                       [this] { fail_page(Error(ErrorKind::kSystem, "it did not print its link within 30 s")); });
    return {};
  }

  void read_link() {
    const auto complete = page_->read_link();
    if (!complete) return fail_page(complete.error());
    if (!*complete) return;
    stop_reading();
    messages_.say("pinfold: answer approval requests at " + page_->link() + " (it opens once)\n");
  }

  void fail_page(const Error& error) {
    close();
    const SetupFailed failed{SetupStage::kSandbox,
                             "the approval page did not start, so every approval request is denied: " + error.text(),
                             error.fix()};
    messages_.say(report::outcome_message(failed, colour_for(STDERR_FILENO, host_)));
    queue_.refuse_all(error.text());
  }

  void stop_reading() {
    if (!std::exchange(reads_link_, false)) return;
    loop_->remove(page_->link_socket());
    loop_->cancel(late_);
  }

  void close() {
    stop_reading();
    page_.reset();
    live_.reset();
  }

  session::ApprovalQueue& queue_;
  session::LiveApprovals::Description description_;
  HostView& host_;
  std::unique_ptr<session::LiveApprovals> live_;
  std::optional<WebProgram> page_;
  sys::EventLoop* loop_ = nullptr;
  sys::EventLoop::TimerId late_ = 0;
  bool reads_link_ = false;
  sys::Outbox messages_;  // the command already runs: a blocked reader must not delay its time-out
};

}  // namespace

std::unique_ptr<session::ApprovalUi> make_web_approval_ui(session::ApprovalQueue& queue,
                                                          std::vector<std::string> command, std::string workspace,
                                                          HostView& host) {
  return std::make_unique<WebApprovalUi>(
      queue, session::LiveApprovals::Description{std::move(command), std::move(workspace), {}}, host);
}

}  // namespace pinfold::cli
