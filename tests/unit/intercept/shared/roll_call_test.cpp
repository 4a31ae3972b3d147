#include "intercept/shared/roll_call.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "fake_mpi/job.hpp"
#include "in_a_process.hpp"
#include "settings.hpp"

namespace stretto::intercept {
namespace {

// What `stretto run` is to a rank: it listens, hears what the rank says, and answers.
class Launch {
 public:
  explicit Launch(std::string answer) : path_("/tmp/stretto-unit-" + std::to_string(::getpid())) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    listening_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listening_, 1), 0);
    answers_ = std::thread([this, answer = std::move(answer)] {
      const int line = ::accept(listening_, nullptr, nullptr);
      hear(line, 2);
      static_cast<void>(::send(line, answer.data(), answer.size(), MSG_NOSIGNAL));
      if (!answer.empty()) hear(line, 3);
      ::close(line);
    });
  }
  ~Launch() {
    if (answers_.joinable()) answers_.join();
    ::close(listening_);
    ::unlink(path_.c_str());
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // As it tells its ranks.
  [[nodiscard]] std::string where() const { return "secret," + path_; }
  // All that the rank has said, once it has gone.
  [[nodiscard]] std::string heard() {
    answers_.join();
    return heard_;
  }

 private:
  void hear(int line, int lines) {
    while (std::ranges::count(heard_, '\n') < lines) {
      std::array<char, 256> some{};
      const ssize_t length = ::recv(line, some.data(), some.size(), 0);
      if (length <= 0) return;
      heard_.append(some.data(), static_cast<std::size_t>(length));
    }
  }

  std::string path_;
  int listening_ = -1;
  std::string heard_;
  std::thread answers_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RollCall, OneRankAloneAsksNobody) {
  const RollCall roll = call_roll("accelerate", 0, 1);
  EXPECT_TRUE(roll.all);
  EXPECT_EQ(roll.line, -1);
}

TEST(RollCall, WithoutStrettoRunTheUserHasToSay) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(call_roll("accelerate", 1, 2).all);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // one rank says it for all
  testing::internal::CaptureStderr();
  EXPECT_FALSE(call_roll("accelerate", 0, 2).all);
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "STRETTO_RUN_ALL_RANKS=trust"));
  const Setting trust("STRETTO_RUN_ALL_RANKS", "trust");
  EXPECT_TRUE(call_roll("accelerate", 0, 2).all);
}

TEST(RollCallDeathTest, ASettingThatMeansNothingEndsTheProgram) {
  const Setting maybe("STRETTO_RUN_ALL_RANKS", "maybe");
  EXPECT_EXIT(static_cast<void>(call_roll("accelerate", 0, 2)), testing::ExitedWithCode(2),
              "neither ask nor trust");
}

TEST(RollCall, ARankSaysWhoItIsAndHearsThatAllAreThere) {
  Launch launch("all\n");
  const Setting lifeline("STRETTO_RUN_LIFELINE", launch.where().c_str());
  const Setting few("STRETTO_TAG_BITS", "20");
  const RollCall roll = call_roll("accelerate", 3, 8);
  EXPECT_TRUE(roll.all);
  EXPECT_GE(roll.line, 0);
  ::close(roll.line);
  const std::string heard = launch.heard();
  for (const std::string& part :
       {"rank 3 pid " + std::to_string(::getpid()) + " host ", std::string("key secret\n"),
        std::string("of 8 in "), std::string(" accelerate mpich"),
        std::string(" STRETTO_TAG_BITS=20")}) {
    EXPECT_TRUE(has(heard, part)) << part << " is not in " << heard;
  }
}

TEST(RollCall, AnyOtherAnswerIsNo) {
  Launch launch("some\n");
  const Setting lifeline("STRETTO_RUN_LIFELINE", launch.where().c_str());
  const RollCall roll = call_roll("profile", 0, 2);
  EXPECT_FALSE(roll.all);
  ::close(roll.line);
}

TEST(RollCall, WhoCannotBeReachedIsMissing) {
  testing::internal::CaptureStderr();
  const Setting lifeline("STRETTO_RUN_LIFELINE",
                         "secret,/tmp/stretto-nonesuch,127.0.0.1:1,nowhere");
  EXPECT_FALSE(call_roll("accelerate", 0, 2).all);
  EXPECT_TRUE(call_roll("accelerate", 0, 1).all);
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "ranks cannot reach `stretto run`"));
}

TEST(RollCallDeathTest, ARankThatIsNotAnsweredEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Launch launch("");
        const Setting lifeline("STRETTO_RUN_LIFELINE", launch.where().c_str());
        static_cast<void>(call_roll("accelerate", 0, 2));
      },
      testing::ExitedWithCode(5), "does not answer");
}

TEST(RollCall, WhoKeepsNoLineSaysSo) {
  Launch launch("all\n");
  const Setting lifeline("STRETTO_RUN_LIFELINE", launch.where().c_str());
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) { EXPECT_TRUE(is_everywhere("whatif")); });
  EXPECT_TRUE(has(launch.heard(), "\ndone\n"));
}

}  // namespace
}  // namespace stretto::intercept
