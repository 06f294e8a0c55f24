// rules_projects.cc: rules about repositories, clouds, clusters, databases and packages.
// Invariant: every rule matches its first examples and does not match the others (rules_test.cc). Not here: the syntax
// of patterns (rules.h).
#include "safety/advice/rules.h"

namespace pinfold::advice {

namespace {

constexpr Rule kRules[] = {
    {"git-rewrite-remote", "git-destructive", AdviceVerdict::kAsk,
     "git push -f|--force|--mirror|--prune\n"
     "git push --delete|-d =main|master|develop|trunk|production|prod|release|staging\n"
     "git push ^+|:",
     "rewrites or deletes commits that others already have", "git push --force-with-lease",
     "git push --force origin main\n"
     "git push origin :main",
     "git push --force-with-lease\n"
     "git push origin --delete topic\n"
     "git push origin feature"},
    {"git-discard", "git-destructive", AdviceVerdict::kAsk,
     "git reset --hard|--merge|--keep\n"
     "git clean -f|--force !-n|--dry-run\n"
     "git checkout -f|--force\n"
     "git checkout =. !--ours|--theirs\n"
     "git restore =.|*|:/ !--staged|-S\n"
     "git stash clear\n"
     "git branch -D =main|master|develop|trunk|production|prod|release|staging\n"
     "git branch -D *$\n"
     "git branch -d|--delete -f|--force =main|master|develop|trunk|production|prod|release|staging\n"
     "git worktree remove -f|--force\n"
     "git submodule deinit -f|--force|--all\n"
     "git switch -f|--force|--discard-changes\n"
     "git rm -r -f !--cached\n"
     "git rebase --root\n"
     "git read-tree --reset\n"
     "hg update|purge|strip -C|--clean|--all\n"
     "svn revert -R|--recursive",
     "discards work that is in no commit, or commits that no branch has", "git stash, or a branch, keeps it",
     "git reset --hard HEAD~10\n"
     "git clean -fdx\n"
     "git branch -D main",
     "git reset --soft HEAD~1\n"
     "git clean -n\n"
     "git branch -d merged\n"
     "git branch -D topic\n"
     "git stash drop\n"
     "git checkout -b fix"},
    {"git-rewrite-history", "git-destructive", AdviceVerdict::kAsk,
     "git filter-branch|filter-repo\n"
     "git reflog expire|delete\n"
     "git update-ref -d\n"
     "git replace|prune --force|--expire\n"
     "git fsck --lost-found --no-reflogs\n"
     "git tag -d -f\n"
     "git-filter-repo|bfg|git-filter-branch",
     "rewrites history, or removes the data that could restore it", "work in a fresh clone",
     "git filter-branch --index-filter x HEAD\n"
     "git reflog expire --expire=now --all",
     "git reflog\n"
     "git filter-branch --help\n"
     "git gc --prune=now\n"
     "git gc"},
    {"git-hook", "persistence", AdviceVerdict::kAsk,
     "git config *hookspath ^/|~|$ !--get|--list|--unset|--get-all\n"
     "git config *core.fsmonitor !=true|false !--get|--list|--unset|--get-all\n"
     "git config "
     "*core.sshcommand|core.gitproxy|init.templatedir|diff.external|.textconv|uploadpack "
     "!--get|--list|--unset|--get-all\n"
     "git config *alias.|core.pager|core.editor|sequence.editor|credential.helper ^!",
     "makes git run any program", "", "git config --global core.hooksPath /tmp/h",
     "git config user.name ada\n"
     "git config core.hooksPath .githooks\n"
     "git config --global core.editor vim\n"
     "git config --global credential.helper store\n"
     "git config --get core.pager"},
    {"cloud-delete", "cloud-destructive", AdviceVerdict::kAsk,
     "aws s3 rb\n"
     "aws s3 rm --recursive\n"
     "aws "
     "s3api|ec2|rds|dynamodb|eks|ecs|lambda|iam|cloudformation|route53|kms|sqs|sns|logs|cloudtrail|guardduty|config|"
     "elasticache|redshift|efs|backup|ecr|secretsmanager|organizations|cognito-idp|autoscaling|elbv2|elb|cloudfront|"
     "apigateway|glacier|securityhub "
     "*delete|terminate|deregister|purge|stop-logging|schedule-key-deletion|disable|remove-permission|stop-instances|"
     "put-bucket-policy|put-bucket-acl|release-address|detach|update-trail|modify-snapshot-attribute|put-object-acl|"
     "stop-configuration\n"
     "aws ec2 authorize-security-group-ingress *0.0.0.0/0\n"
     "gcloud|gsutil|bq =delete|rb|rm|destroy|remove-iam-policy-binding !--help\n"
     "gsutil rm|rb -r|-m|-f\n"
     "bq rm\n"
     "az =delete|purge|deallocate|remove\n"
     "firebase *:delete|:disable\n"
     "doctl|hcloud|linode-cli|vultr-cli|flyctl|fly|heroku|vercel|netlify|railway|wrangler|eksctl|oci|ibmcloud|scw|civo|"
     "render|supabase *delete|destroy|remove|apps:destroy|pg:reset|terminate|addons:destroy|reset\n"
     "terraform|tofu|terragrunt destroy\n"
     "terraform|tofu|terragrunt apply *-destroy\n"
     "terraform|tofu state rm|push\n"
     "terraform|tofu taint|force-unlock|workspace *delete|force\n"
     "terraform|tofu apply -auto-approve *-replace\n"
     "pulumi destroy|down\n"
     "pulumi stack rm\n"
     "cdk|sam|serverless|sls|copilot|amplify destroy|delete|remove\n"
     "ansible -m=file *state=absent\n"
     "ansible -m=reboot\n"
     "packer|nomad|consul|vault *delete|stop|purge|destroy|leave|seal\n"
     "kops|kubeadm delete|reset\n"
     "k3s-uninstall.sh",
     "deletes what runs or is stored in the cloud", "look first: list, describe, plan",
     "aws s3 rb s3://prod --force\n"
     "terraform destroy -auto-approve\n"
     "gcloud projects delete x",
     "aws s3 ls\n"
     "aws s3 cp a s3://b/\n"
     "terraform plan\n"
     "gcloud compute instances list --format=json --verbosity=info"},
    {"cluster-delete", "cloud-destructive", AdviceVerdict::kAsk,
     "kubectl|oc delete "
     "namespace|namespaces|ns|node|nodes|pv|pvc|crd|clusterrole|clusterrolebinding|persistentvolume|"
     "persistentvolumeclaim|deployment|deployments|deploy|statefulset|sts|all|secrets|"
     "daemonset|storageclass|project\n"
     "kubectl|oc delete --all|-A|--all-namespaces|--force|--grace-period\n"
     "kubectl|oc drain !--dry-run\n"
     "kubectl scale *replicas=0\n"
     "kubectl delete ^deployment/|deploy/|ns/|namespace/|svc/|statefulset/|pvc/|node/\n"
     "helm uninstall|delete|del\n"
     "docker|podman|nerdctl volume prune\n"
     "docker|podman|nerdctl system prune *--volumes\n"
     "docker|podman volume rm *$\n"
     "docker|podman system reset\n"
     "docker|podman rm -f|--force|-v|--volumes *$(|$()|`\n"
     "docker|podman stack|swarm|node|service down|rm|leave|remove\n"
     "docker stack|swarm|service rm|leave\n"
     "argocd|flux|istioctl *delete|uninstall\n"
     "velero *delete",
     "deletes what runs in the cluster, or data of containers", "name one object, after looking at it",
     "kubectl delete ns production\n"
     "docker system prune -af --volumes",
     "kubectl delete pod web-0\n"
     "kubectl get pods\n"
     "docker compose down -v\n"
     "docker volume rm data\n"
     "docker rm -f web"},
    {"database-tool", "database-destructive", AdviceVerdict::kAsk,
     "mysqladmin *drop|shutdown\n"
     "dropdb|dropuser\n"
     "redis-cli|valkey-cli|keydb-cli *flushall|flushdb|shutdown|slaveof|replicaof|debug|script\n"
     "redis-cli config set\n"
     "mongo|mongosh|mongod *dropdatabase|.drop(|deletemany({})|.remove({})|dropuser|shutdownserver|dropindexes\n"
     "mongorestore --drop\n"
     "rails|rake|bundle *db:drop|db:reset|db:purge|db:schema:load|db:migrate:reset\n"
     "php|artisan|sail *migrate:fresh|migrate:reset|db:wipe|migrate:refresh\n"
     "python|python3|manage.py|./manage.py|django-admin *manage.py *flush|reset_db|sqlflush\n"
     "django-admin|manage.py flush|reset_db\n"
     "prisma|npx|yarn|pnpm *migrate *reset\n"
     "npx|prisma *db *push *--force-reset|--accept-data-loss\n"
     "sequelize|knex|typeorm|sequelize-cli *drop|rollback|schema:drop|db:drop|revert\n"
     "alembic|flask *downgrade\n"
     "mix ecto.drop|ecto.reset|ecto.rollback\n"
     "curl *-xdelete|delete *:9200|_all|_search|elasticsearch\n"
     "influx|cqlsh|clickhouse-client|clickhouse|snowsql|bq|sqlcmd|osql|isql|sqlplus|duckdb *drop|truncate|xp_cmdshell\n"
     "etcdctl del\n"
     "rabbitmqctl|rabbitmqadmin reset|delete_queue|purge_queue|delete_vhost|force_reset|delete\n"
     "kafka-topics|kafka-topics.sh --delete\n"
     "pg_dropcluster|pg_resetwal\n"
     "consul kv delete",
     "removes data of a database", "make a dump first",
     "redis-cli FLUSHALL\n"
     "dropdb production\n"
     "mongosh prod --eval 'db.dropDatabase()'",
     "redis-cli get key\n"
     "createdb x\n"
     "mongosh --eval 'db.stats()'"},
    {"publish", "supply-chain", AdviceVerdict::kAsk,
     "npm|yarn|pnpm unpublish|deprecate|owner|access\n"
     "cargo|gem yank\n"
     "gh repo|release|secret|ssh-key|gist delete|archive|remove\n"
     "gh repo edit *visibility\n"
     "gh api *delete|-xdelete\n"
     "glab repo|project delete",
     "withdraws or deletes a package or repository for all users", "--dry-run first",
     "npm unpublish left-pad --force\n"
     "gh repo delete o/r --yes",
     "npm pack\n"
     "gh pr list\n"
     "cargo publish --dry-run"},
};

}  // namespace

const std::span<const Rule> kProjectRules{kRules};

}  // namespace pinfold::advice
