// git_config_test.cc: which entries of a configuration that a run wrote are kept.
#include <gtest/gtest.h>

#include "backend/linux/protect/git_clean.h"

namespace pinfold::backend::on_linux {
namespace {

std::string clean(std::string_view text, std::size_t expected_removed) {
  std::vector<std::string> removed;
  std::string out = safe_git_config(text, removed);
  EXPECT_EQ(removed.size(), expected_removed) << out;
  return out;
}

TEST(GitConfig, KeepsTheKeysOfInitAndClone) {
  std::string out = clean(
      "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
      "[remote \"origin\"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
      "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
      0);
  EXPECT_NE(out.find("[remote \"origin\"]"), std::string::npos);
  EXPECT_NE(out.find("fetch = +refs"), std::string::npos);
}

TEST(GitConfig, DropsEveryKeyThatExecutesOrIncludes) {
  for (std::string_view line : {"[core]\nfsmonitor = /tmp/x",
                                "[core]\nhooksPath = evil",
                                "[core]\nsshCommand=x",
                                "[core]\npager=x",
                                "[core]\neditor=x",
                                "[include]\npath=/x",
                                "[includeIf \"gitdir:/\"]\npath=/x",
                                "[alias]\nst = !x",
                                "[filter \"a\"]\nclean=x",
                                "[diff \"a\"]\ntextconv=x",
                                "[merge \"a\"]\ndriver=x",
                                "[credential]\nhelper=!x",
                                "[gpg]\nprogram=x",
                                "[remote \"o\"]\nurl = ext::sh -c x",
                                "[remote \"o\"]\nurl = ext:\"\":sh -c x",
                                "[remote \"o\"]\npushurl = \"-x\"",
                                "[submodule \"o\"]\nurl = ext:\\::sh -c x",
                                "[remote \"o\"]\nuploadpack=x",
                                "[branch \"main\"]\nremote = ext::sh -c x",
                                "[branch \"main\"]\nremote = helper::x",
                                "[branch \"main\"]\nremote = ext:\"\":sh",
                                "[branch \"main\"]\nremote = -x",
                                "[branch \"main\"]\npushRemote = ext::sh -c x",
                                "[remote \"ext::sh -c x\"]\nfetch = a",
                                "[remote \"ext::sh -c x\"] fetch = a",
                                "[remote \"ext:\\:sh\"]\nfetch = a",
                                "[Remote \"-x\"]\nfetch = a\nprune = true",
                                "[remote \"o\"]\nreceivepack=x",
                                "[remote \"o\"]\nvcs=x",
                                "[remote \"o\"]\nproxy=x",
                                "[remote]\npushDefault=ext::x",
                                "[url \"ext::x\"]\ninsteadOf=https://",
                                "[core]\ngitProxy=x",
                                "[core]\naskPass=x",
                                "[core]\nalternateRefsCommand=x",
                                "[core]\nattributesFile=x",
                                "[core]\nexcludesFile=x",
                                "[core]\nsharedRepository=0777",
                                "[core]\nprotectNTFS=false",
                                "[extensions]\nrefStorage=files:///x",
                                "[extensions]\npartialClone=x",
                                "[uploadpack]\npackObjectsHook=x",
                                "[sequence]\neditor=x",
                                "[web]\nbrowser=x",
                                "[browser \"x\"]\ncmd=x",
                                "[man \"x\"]\ncmd=x",
                                "[difftool \"x\"]\ncmd=x",
                                "[mergetool \"x\"]\ncmd=x",
                                "[sendemail]\nsmtpServer=/x",
                                "[instaweb]\nhttpd=x",
                                "[interactive]\ndiffFilter=x",
                                "[trailer \"x\"]\ncommand=x",
                                "[diff]\nexternal=x",
                                "[init]\ntemplateDir=x",
                                "[commit]\ntemplate=x",
                                "[http]\nproxy=x",
                                "[protocol \"ext\"]\nallow=always",
                                "[safe]\ndirectory=*",
                                "[maintenance]\nrepo=x",
                                "[fetch]\nbundleURI=x",
                                "[remote \"o\"]\npromisor=true",
                                "[core]\nworktree=/x",
                                "[submodule \"a\"]\nupdate=!x",
                                "[CORE]\nFSMONITOR=x",
                                "[core] fsmonitor = x",
                                "[core \"sub\"] hookspath = x",
                                "[extensions]\nworktreeConfig=true"})
    EXPECT_EQ(clean(line, 1).find('='), std::string::npos) << line;
}

TEST(GitConfig, DropsWholeContinuedLines) {
  std::string out = clean("[user]\n\tname = a\\\n\tfsmonitor = x\n\temail = b\n", 1);
  EXPECT_EQ(out.find("fsmonitor"), std::string::npos);
  EXPECT_NE(out.find("email = b"), std::string::npos);
}

TEST(GitConfig, SurvivesAnyBytes) {
  clean("", 0);
  clean("[", 1);
  clean("[core\"]", 1);
  clean("no section = 1", 1);
  clean(std::string("\0\xff\n[\xff]\nx", 8), 2);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
