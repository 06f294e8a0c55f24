# 1,000 children alive at once, each released by one pipe and reaped with its own exit code.
use strict;
use warnings;
pipe(my $wait, my $go) or die "pipe: $!";
my %children;
for my $n (1 .. 1000) {
    my $pid = fork();
    die "fork $n: $!" unless defined $pid;
    if (!$pid) {
        close $go;
        sysread($wait, my $byte, 1);
        exit($n % 7);
    }
    $children{$pid} = $n % 7;
}
close $go;
my $right = 0;
while ((my $pid = wait()) > 0) { $right++ if ($? >> 8) == $children{$pid}; }
print "$right children\n";
