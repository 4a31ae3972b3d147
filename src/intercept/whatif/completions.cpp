#include "intercept/whatif/completions.hpp"

#include <algorithm>
#include <span>

#include "base/short_list.hpp"
#include "intercept/whatif/hooks.hpp"

namespace stretto::intercept::whatif {
namespace {

// Copies of the program's handles.
class Handles : public ShortList<MPI_Request> {
 public:
  explicit Handles(const Completion& call)
      : ShortList(call.requests, call.requests + std::max(call.count, 0)) {}
};

// The program's statuses, or ours where it has none.
class Statuses {
 public:
  explicit Statuses(const Completion& call) : theirs_(call.statuses) {
    if (call.ignores_statuses()) own_.resize(static_cast<std::size_t>(std::max(call.count, 1)));
  }
  [[nodiscard]] MPI_Status* data() { return own_.empty() ? theirs_ : own_.data(); }

 private:
  MPI_Status* theirs_;
  ShortList<MPI_Status> own_;
};

bool any_unanswered(std::span<const MPI_Request> handles) {
  return std::any_of(handles.begin(), handles.end(),
                     [](MPI_Request handle) { return Requests::get().is_unanswered(handle); });
}

// The call about the handles without those of collectives whose end is not known yet: they are not
// complete, whatever the MPI knows of its own part in them.
class Known {
 public:
  explicit Known(const Completion& call) : call_(call), handles_(call) {
    for (MPI_Request& handle : handles_) {
      if (!Requests::get().is_unanswered(handle)) continue;
      handle = native().request_null;
      is_all_ = false;
    }
    before_.assign(handles_.begin(), handles_.end());
  }

  // As Completion::ask. Where only those left out are to be found yet the call is not over.
  int ask(int* over) {
    Completion known = call_;
    if (!is_all_) known.requests = handles_.data();
    const int error = known.ask(over);
    for (std::size_t i = 0; !is_all_ && i < handles_.size(); ++i) {
      if (before_[i] != native().request_null) call_.requests[i] = handles_[i];
    }
    if (!is_all_ && known.found_none_active()) *over = 0;
    return error;
  }

 private:
  const Completion& call_;
  Handles handles_;
  ShortList<MPI_Request> before_;
  bool is_all_ = true;
};

// Asks for all of them, one after the other; `complete` already are. Not by MPI_Testall: MPICH
// 5.0's fails for persistent collectives that went well.
int ask_further(const Completion& call, int* complete, int* over) {
  if (call.of == Completion::Of::one) return call.ask(over);
  for (; *complete < call.count; ++*complete) {
    MPI_Status& status = call.statuses[*complete];
    int flag = 0;
    const int error = native().Test(&call.requests[*complete], &flag, &status);
    if (error != MPI_SUCCESS) {
      for (int i = 0; i < call.count; ++i) {
        call.statuses[i].MPI_ERROR = i < *complete ? MPI_SUCCESS : MPI_ERR_PENDING;
      }
      status.MPI_ERROR = error;
      return MPI_ERR_IN_STATUS;
    }
    if (flag == 0) return MPI_SUCCESS;
  }
  *over = 1;
  return MPI_SUCCESS;
}

bool is_of_all(const Completion& call) {
  return call.of == Completion::Of::one || call.of == Completion::Of::all;
}

// Waits by asking where others need this rank's core or its answers.
int wait(const Completion& call, std::span<const MPI_Request> handles) {
  const bool of_all = is_of_all(call);
  if (of_all) wait_until([&] { return !any_unanswered(handles); });
  const FirstTouchScope first_touches;
  if (!must_stay_awake() && (of_all || !any_unanswered(handles))) return call.call();
  int error = MPI_SUCCESS;
  int complete = 0;
  wait_until([&] {
    int over = 0;
    error = of_all ? ask_further(call, &complete, &over) : Known(call).ask(&over);
    return over != 0 || error != MPI_SUCCESS;
  });
  return error;
}

int test(const Completion& call, std::span<const MPI_Request> handles, int* over) {
  *over = 0;
  if (!is_of_all(call)) return ask_once([&] { return Known(call).ask(over); });
  if (any_unanswered(handles)) return MPI_SUCCESS;
  const int error = run_local([&] { return ask_once([&] { return call.call(); }); });
  *over = *call.flag;
  return error;
}

void complete(const Completion& call, std::span<const MPI_Request> handles) {
  ShortList<Requests::Completed> completed;
  completed.reserve(handles.size());
  call.each_complete([&](int place, int status) {
    completed.emplace_back(handles[static_cast<std::size_t>(place)], call.statuses[status]);
  });
  Requests::get().complete(completed);
}

}  // namespace

int on_completion(const Completion& theirs) {
  const Pause pause(theirs.waits ? Stops::to_call : Stops::to_poll);
  forget_poll();
  const Handles handles(theirs);
  Statuses statuses(theirs);
  Completion call = theirs;
  call.statuses = statuses.data();
  int over = 1;
  const int error = call.waits ? wait(call, handles) : test(call, handles, &over);
  if (call.flag != nullptr) *call.flag = over;
  if (error != MPI_SUCCESS) {
    // Of several some may have gone well, but which did what is not worth following.
    if (is_of_all(call)) {
      for (const MPI_Request handle : handles) Requests::get().forget(handle);
    }
  } else if (over == 0) {
    call.none_complete();
    polled();
  } else {
    complete(call, handles);
  }
  return error;
}

int on_Request_get_status(decltype(&PMPI_Request_get_status) real, MPI_Request request, int* flag,
                          MPI_Status* status) {
  const Pause pause(Stops::to_poll);
  forget_poll();
  if (Requests::get().is_unanswered(request)) {
    polled();
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int error = ask_once([&] { return real(request, flag, status); });
  if (error != MPI_SUCCESS) return error;
  if (*flag == 0) {
    polled();
  } else {
    Requests::get().saw_complete(request);
  }
  return error;
}

int on_Request_free(decltype(&PMPI_Request_free) real, MPI_Request* request) {
  const Pause pause;
  const MPI_Request handle = *request;
  const int error = real(request);
  if (error == MPI_SUCCESS) Requests::get().remove(handle);
  return error;
}

int on_Start(decltype(&PMPI_Start) real, MPI_Request* request) {
  const Pause pause;
  Requests::get().start(*request);
  const int error = real(request);
  Requests::get().started(*request);
  return error;
}

int on_Startall(decltype(&PMPI_Startall) real, int count, MPI_Request requests[]) {
  const Pause pause;
  for (int i = 0; i < count; ++i) Requests::get().start(requests[i]);
  const int error = real(count, requests);
  for (int i = 0; i < count; ++i) Requests::get().started(requests[i]);
  return error;
}

}  // namespace stretto::intercept::whatif
