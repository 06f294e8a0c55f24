# A forking server and its client; file locks, signals between the two.
use strict;
use warnings;
use Fcntl qw(:flock);
use IO::Socket::INET;
my $server = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die "listen: $!";
my $got_signal = 0;
$SIG{USR1} = sub { $got_signal = 1 };
my $pid = fork() // die "fork: $!";
if (!$pid) {
    my $client = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $server->sockport) or die "connect: $!";
    print $client "hello\n";
    kill 'USR1', getppid() or die "kill: $!";
    exit 0;
}
my $line = $server->accept->getline;
waitpid($pid, 0);
die "child failed" if $?;
open(my $lock, '>', 'lock') or die "lock: $!";
flock($lock, LOCK_EX) or die "flock: $!";
print "got $line" if $got_signal;
