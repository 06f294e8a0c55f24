# check-windows.ps1: what only a real Windows can tell about pinfold.exe. Run it as an ordinary user, in PowerShell:
#   powershell -ExecutionPolicy Bypass -File check-windows.ps1 C:\path\to\pinfold.exe
# Every row is tried bare first and must succeed there, or it proves nothing; then in a sandbox, where it must fail.
# Everything it makes is in one directory below TEMP and one file in the home directory; both are removed at the end.
# Invariant: reaches nothing but its own canaries and this machine's loopback.
param([Parameter(Mandatory = $true)][string]$Pinfold)

$ErrorActionPreference = 'Stop'
$top = Join-Path ([IO.Path]::GetTempPath()) ("pinfold-check-" + [guid]::NewGuid().ToString('N'))
$work = Join-Path $top 'workspace'
$outside = Join-Path $top 'outside'
$secret = Join-Path $HOME (".pinfold-canary-" + [guid]::NewGuid().ToString('N'))
New-Item -ItemType Directory -Force $work, $outside, (Join-Path $work '.git\hooks') | Out-Null
Set-Content (Join-Path $work '.git\config') '[core]'
Set-Content (Join-Path $work '.env') 'canary-env'
Set-Content (Join-Path $outside 'file.txt') 'canary-outside'
Set-Content $secret 'canary-home'
$before = @($top, $work, (Join-Path $work '.git'), (Join-Path $work '.env'), (Join-Path $work '.git\config')) |
  ForEach-Object { (Get-Acl $_).Sddl }
$passed = 0
$failed = 0
$flags = @('--on-unavailable', 'warn', '-q', '--no-project-file')

function Row([string]$name, [bool]$good, [string]$detail = '') {
  if ($good) { $script:passed++; Write-Output "  ok      $name" }
  else { $script:failed++; Write-Output "  FAILED  $name  $detail" }
}
function Bare([string]$text) {
  Push-Location $work
  try { (& powershell.exe -NoProfile -NonInteractive -Command $text 2>&1 | Out-String) } finally { Pop-Location }
}
function Boxed([string]$text, [string[]]$more = @()) {
  Push-Location $work
  try { (& $Pinfold run @flags @more '--' powershell.exe -NoProfile -NonInteractive -Command $text 2>&1 | Out-String) } finally { Pop-Location }
}
# $mark must be in the bare answer and must not be in the boxed one.
function Denied([string]$name, [string]$text, [string]$mark) {
  $bare = Bare $text
  if (-not $bare.Contains($mark)) { Row $name $false "does not even work bare: $bare"; return }
  $boxed = Boxed $text
  Row $name (-not $boxed.Contains($mark)) $boxed
}

try {
  Write-Output (& $Pinfold doctor | Out-String)

  Row 'it runs at all' ((Boxed "'inside ' + (1 + 1)").Contains('inside 2'))
  Row 'the workspace can be written' ((Boxed "Set-Content new.txt ok; Get-Content new.txt").Contains('ok'))
  Row 'TEMP can be written' ((Boxed 'Set-Content (Join-Path $env:TEMP x) fine; Get-Content (Join-Path $env:TEMP x)').Contains('fine'))

  Denied 'read a file of the home directory' "Get-Content '$secret'" 'canary-home'
  Denied 'read outside of the workspace' "Get-Content '$outside\file.txt'" 'canary-outside'
  Denied 'read through ..' "Get-Content '..\outside\file.txt'" 'canary-outside'
  Denied 'read through \\?\' "[IO.File]::ReadAllText('\\?\$outside\file.txt')" 'canary-outside'
  Denied 'read through a junction made inside' "New-Item -ItemType Junction -Path j -Target '$outside' | Out-Null; Get-Content j\file.txt" 'canary-outside'
  Denied 'read a hidden file' "Get-Content .env" 'canary-env'
  Denied 'read a hidden file by its stream' "[IO.File]::ReadAllText((Resolve-Path .).Path + '\.env::`$DATA')" 'canary-env'
  Denied 'write outside' "Set-Content '$outside\made.txt' x; Get-Content '$outside\made.txt'" 'x'
  Remove-Item -Force -ErrorAction SilentlyContinue "$outside\made.txt"
  Denied 'plant a hook' "Set-Content .git\hooks\pre-commit evil; Get-Content .git\hooks\pre-commit" 'evil'
  Remove-Item -Force -ErrorAction SilentlyContinue (Join-Path $work '.git\hooks\pre-commit')
  Boxed "Rename-Item .git moved" | Out-Null
  Row 'the repository cannot be moved away' (Test-Path (Join-Path $work '.git\config'))

  $listener = [Net.Sockets.TcpListener]::new([Net.IPAddress]::Loopback, 0)
  $listener.Start()
  $port = $listener.LocalEndpoint.Port
  Denied 'connect to this machine' "(New-Object Net.Sockets.TcpClient('127.0.0.1', $port)).Connected" 'True'
  $listener.Stop()
  Denied 'open another process' "(Get-Process -Id $PID).Handle -ne 0" 'True'

  $env:CHECK_SECRET = 'canary-variable'
  Denied 'see an undeclared variable' '$env:CHECK_SECRET' 'canary-variable'

  # Nothing outlives a run.
  $alive = Join-Path $work 'alive.txt'
  $endless = "Start-Process powershell -ArgumentList '-NoProfile','-Command','while(1){Add-Content alive.txt x; Start-Sleep -Milliseconds 50}'; Start-Sleep 60"
  Boxed $endless @('--timeout', '10s') | Out-Null
  Row 'a time-out is 124' ($LASTEXITCODE -eq 124) "$LASTEXITCODE"
  $size = if (Test-Path $alive) { (Get-Item $alive).Length } else { -1 }
  Start-Sleep 2
  Row 'the tree had started' ($size -gt 0)
  Row 'the tree is gone' ($size -ge 0 -and (Get-Item $alive).Length -eq $size)

  Boxed '$x = New-Object byte[] 500MB; for ($i = 0; $i -lt $x.Length; $i += 4096) { $x[$i] = 1 }; "filled"' @('--memory', '200M') | Out-Null
  Row 'the memory limit ends it' ($LASTEXITCODE -ne 0) "$LASTEXITCODE"

  # kill -9 of pinfold itself: the next run takes the grants back.
  $run = Start-Process $Pinfold -WorkingDirectory $work -PassThru -WindowStyle Hidden -ArgumentList (@('run') + $flags + @('--', 'powershell.exe', '-Command', 'Start-Sleep', '60'))
  Start-Sleep 5
  $granted = (Get-Acl $work).Sddl
  Row 'a run has a grant of its own' ($granted.Contains('S-1-15-2-')) $granted
  Stop-Process -Force -Id $run.Id
  Start-Sleep 1
  Boxed "'next'" | Out-Null
  $after = @($top, $work, (Join-Path $work '.git'), (Join-Path $work '.env'), (Join-Path $work '.git\config')) |
    ForEach-Object { (Get-Acl $_).Sddl }
  Row 'every access list is as it was' (($before -join '|') -eq ($after -join '|')) ($after -join "`n")
  $left = @(Get-ChildItem -ErrorAction SilentlyContinue (Join-Path $env:LOCALAPPDATA 'pinfold\sandboxes'))
  Row 'no journal is left' ($left.Count -eq 0) "$left"
  $profiles = @(Get-ChildItem -ErrorAction SilentlyContinue (Join-Path $env:LOCALAPPDATA 'Packages') -Filter 'pinfold.*')
  Row 'no profile is left' ($profiles.Count -eq 0) "$profiles"
}
finally {
  Remove-Item -Recurse -Force -ErrorAction SilentlyContinue $top
  Remove-Item -Force -ErrorAction SilentlyContinue $secret
}
Write-Output "$passed passed, $failed failed"
exit [int]($failed -gt 0)
