//go:build realclients

package openapi_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// The largest of the real documents, with 1,200 operations.
const largest = "@octokit/openapi/generated/api.github.com.json"

func read(t *testing.T, name string) []byte {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(os.Getenv("CASH_NPM_DIR"), "node_modules", name))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// Each document is mounted in under two seconds. Nearly all of its operations are served, with their schemas, and every
// page of help is within the gate. The tools stay what they are.
func TestRealDocuments(t *testing.T) {
	before := toolsOf(t, registry.New(nil))
	for name, least := range map[string]int{
		largest: 1200, "@figma/rest-api-spec/openapi/openapi.yaml": 45, "@readme/oas-examples/3.1/json/readme.json": 50,
		"@readme/oas-examples/3.0/json/star-trek.json": 5, "@readme/oas-examples/2.0/json/petstore.json": 15,
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			doc := read(t, name)
			var reg *registry.Registry
			var m *openapi.Mounted
			took := time.Hour
			for range 3 { // the machine may have had other work
				began := time.Now()
				reg, m = mount(t, doc, openapi.Handler(http.NotFoundHandler()))
				if _, err := reg.List(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
				took = min(took, time.Since(began))
			}
			t.Logf("%v: %d operations, %d left out, %d findings", took, m.Report().Operations, m.Report().Left, len(m.Report().Findings))
			if took > 2*time.Second || m.Report().Operations < least || m.Report().Left > 3 {
				t.Errorf("%v\n%s", took, m.Report())
			}
			for f := range reg.All() {
				if f.Problem() != nil {
					t.Errorf("%s: %v", f.Path(), f.Problem())
				}
			}
			if !slices.Equal(toolsOf(t, reg), before) {
				t.Error("the tools depend on the document")
			}
			pages(t, reg)
		})
	}
}

// pages asks for every page of help.
func pages(t *testing.T, reg *registry.Registry) {
	srv := cash.NewServer(reg, nil)
	longest, where := 0, ""
	look := func(namespace, function string) {
		page, err := srv.Help(t.Context(), &cash.HelpRequest{Namespace: namespace, Function: function})
		if err != nil {
			t.Errorf("%s %s: %v", namespace, function, err)
		}
		if n := len([]rune(page)); n > longest {
			longest, where = n, namespace+" "+function
		}
	}
	err := registry.Walk(t.Context(), reg, "", func(l *registry.Listing) error {
		look(l.Namespace, "")
		for _, f := range l.Functions {
			look(l.Namespace, f.Name())
		}
		return nil
	})
	t.Logf("the longest page of help is that of %s, with %d characters", where, longest)
	if err != nil || longest > 10_000 {
		t.Errorf("%d characters, %v", longest, err)
	}
}

func toolsOf(t *testing.T, reg *registry.Registry) []string {
	t.Helper()
	server, client := mcp.NewInMemoryTransports()
	go cash.NewServer(reg, nil).Run(t.Context(), server)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var tools []string
	for _, tool := range list.Tools {
		tools = append(tools, tool.Name+" "+tool.Description)
	}
	return tools
}

// Twenty questions of a person, who does not know the document's words, with the operations that answer them.
var questions = map[string]string{
	"show me the open pull requests":                 "pulls.list",
	"merge this pull request":                        "pulls.merge",
	"leave a comment on an issue":                    "issues.create_comment",
	"who has starred my repository":                  "activity.list_stargazers_for_repo",
	"make a new repository for myself":               "repos.create_for_authenticated_user",
	"delete a branch or tag":                         "git.delete_ref",
	"read a file from the repository":                "repos.get_content",
	"why did the workflow fail, download its logs":   "actions.download_workflow_run_logs",
	"run the failed jobs again":                      "actions.re_run_workflow_failed_jobs",
	"invite somebody as a collaborator":              "repos.add_collaborator",
	"how many requests may I still send, rate limit": "rate_limit.get",
	"search the code for a word":                     "search.code",
	"publish a new release":                          "repos.create_release",
	"what did somebody change between two commits":   "repos.compare_commits",
	"add a label to an issue":                        "issues.add_labels",
	"block a user":                                   "users.block",
	"mark all notifications as read":                 "activity.mark_notifications_as_read",
	"ask someone for a review":                       "pulls.request_reviewers",
	"members of a team":                              "teams.list_members_in_org",
	"secrets of the dependabot in my organization":   "dependabot.list_org_secrets",
}

// Twenty more, written without a look at what search finds. Most of those missed have no word of the document; the README
// says what helps.
var fresh = map[string]string{
	"close an issue":                                 "issues.update",
	"who am I logged in as":                          "users.get_authenticated",
	"star a repository":                              "activity.star_repo_for_authenticated_user",
	"rename a repository":                            "repos.update",
	"fork a project into my organization":            "repos.create_fork",
	"start a workflow by hand":                       "actions.create_workflow_dispatch",
	"stop a running build":                           "actions.cancel_workflow_run",
	"download what a build produced":                 "actions.download_artifact",
	"protect the main branch":                        "repos.update_branch_protection",
	"who approved the pull request":                  "pulls.list_reviews",
	"which files does a pull request change":         "pulls.list_files",
	"save a file in the repository":                  "repos.create_or_update_file_contents",
	"assign somebody to an issue":                    "issues.add_assignees",
	"share a code snippet":                           "gists.create",
	"add an SSH key to my account":                   "users.create_public_ssh_key_for_authenticated_user",
	"set a secret for the workflows of a repository": "actions.create_or_update_repo_secret",
	"who belongs to my organization":                 "orgs.list_members",
	"react to a comment with a thumbs up":            "reactions.create_for_issue_comment",
	"set up a webhook for a repository":              "repos.create_webhook",
	"what is the latest release":                     "repos.get_latest_release",
}

// Forty more, written before search was changed for the questions above. A choice was made with the first twenty, nothing
// with the others. Several operations may answer.
var later = map[string]string{
	"approve a pull request":                    "pulls.create_review|pulls.submit_review",
	"reply to a review comment":                 "pulls.create_reply_for_review_comment",
	"is the pull request already merged":        "pulls.check_if_merged",
	"edit the text of an issue":                 "issues.update",
	"take a label off an issue":                 "issues.remove_label",
	"create a milestone":                        "issues.create_milestone",
	"make a new branch":                         "git.create_ref",
	"list all branches":                         "repos.list_branches",
	"rename the master branch to main":          "repos.rename_branch",
	"sync my fork with the original repository": "repos.merge_upstream",
	"download the source code as a zip file":    "repos.download_zipball_archive",
	"list the files attached to a release":      "repos.list_release_assets",
	"which workflows does the repository have":  "actions.list_repo_workflows",
	"turn off a workflow":                       "actions.disable_workflow",
	"list the secrets of my repository":         "actions.list_repo_secrets",
	"add a user to a team":                      "teams.add_or_update_membership_for_user_in_org",
	"delete a comment on an issue":              "issues.delete_comment",
	"show my unread notifications":              "activity.list_notifications_for_authenticated_user",
	"unfollow a person":                         "users.unfollow",
	"which repositories has a user starred":     "activity.list_repos_starred_by_user",
}

var last = map[string]string{
	"open a new issue":                          "issues.create",
	"open a pull request":                       "pulls.create",
	"create a tag":                              "git.create_tag|git.create_ref",
	"who can push to this repository":           "repos.list_collaborators",
	"kick a collaborator out of the repository": "repos.remove_collaborator",
	"list issues assigned to me":                "issues.list",
	"remove a file from the repo":               "repos.delete_file",
	"did the tests pass on this commit":         "checks.list_for_ref|repos.get_combined_status_for_ref",
	"see the jobs of a workflow run":            "actions.list_jobs_for_workflow_run",
	"delete old build artifacts":                "actions.delete_artifact",
	"register a self-hosted runner":             "actions.create_registration_token_for_repo|actions.create_registration_token_for_org",
	"alerts about leaked secrets":               "secret_scanning.list_alerts_for_repo|secret_scanning.list_alerts_for_org",
	"vulnerable dependencies of a repository":   "dependabot.list_alerts_for_repo",
	"start a codespace":                         "codespaces.start_for_authenticated_user",
	"invite someone to the organization":        "orgs.create_invitation",
	"delete a gist":                             "gists.delete",
	"change my profile bio":                     "users.update_authenticated",
	"get a user by their login":                 "users.get_by_username",
	"forks of a repository":                     "repos.list_forks",
	"add a deploy key":                          "repos.create_deploy_key",
}

// Twenty more, written after that. They showed that what is deprecated stood in the way.
var after = map[string]string{
	"who contributed to this repository":         "repos.list_contributors|repos.get_contributors_stats",
	"who follows this person":                    "users.list_followers_for_user",
	"remove a user from a team":                  "teams.remove_membership_for_user_in_org",
	"when was the website last built":            "repos.get_latest_pages_build|repos.list_pages_builds",
	"delete an old version of a package":         "packages.delete_package_version_for_org|packages.delete_package_version_for_authenticated_user|packages.delete_package_version_for_user",
	"how much are we paying for actions minutes": "billing.get_github_billing_usage_report_org|billing.get_github_billing_usage_summary_report_org",
	"which languages is this project written in": "repos.list_languages",
	"lock the discussion on an issue":            "issues.lock",
	"transfer my repository to someone else":     "repos.transfer",
	"bring my pull request up to date with main": "pulls.update_branch",
	"show the comments on a gist":                "gists.list_comments",
	"which teams am I in":                        "teams.list_for_authenticated_user",
	"find people who live in Berlin":             "search.users",
	"run a check again":                          "checks.rerequest_run|checks.rerequest_suite",
	"stop my codespace":                          "codespaces.stop_for_authenticated_user",
	"how many people visited my repository":      "repos.get_views",
	"who reacted to this issue":                  "reactions.list_for_issue",
	"dismiss a code scanning alert":              "code_scanning.update_alert",
	"approve a deployment that is waiting":       "actions.review_pending_deployments_for_run",
	"which projects does the organization have":  "projects.list_for_org",
}

func TestRealSearch(t *testing.T) {
	reg, _ := mount(t, read(t, largest), openapi.Handler(http.NotFoundHandler()))
	known := make(map[string]bool)
	for f := range reg.All() {
		path, _ := registry.CanonicalPath(f.Path())
		known[strings.TrimPrefix(path, "shop.")] = true
	}
	for name, set := range map[string]struct {
		questions map[string]string
		least     int
	}{"known": {questions, 18}, "fresh": {fresh, 13}, "later": {later, 19}, "last": {last, 15}, "after": {after, 16}} {
		t.Run(name, func(t *testing.T) {
			found := 0
			for question, answers := range set.questions {
				var wanted []string
				for _, want := range strings.Split(answers, "|") {
					if want, _ = registry.CanonicalPath(want); !known[want] {
						t.Errorf("the document has no %s", want)
					}
					wanted = append(wanted, want)
				}
				var got []string
				for _, m := range reg.Search(t.Context(), question, 5) {
					path, _ := registry.CanonicalPath(m.Namespace + "." + m.Name)
					got = append(got, strings.TrimPrefix(path, "shop."))
				}
				if slices.ContainsFunc(got, func(path string) bool { return slices.Contains(wanted, path) }) {
					found++
				} else {
					t.Logf("%q finds %v, not %s", question, got, answers)
				}
			}
			t.Logf("%d of %d questions find their operation among the first five", found, len(set.questions))
			if found < set.least {
				t.Fail()
			}
		})
	}
}

var update = flag.Bool("update", false, "write the table of tokens into README.md")

// Ten tasks cost a small part of what they cost with one tool for each operation. The README has the table.
func TestRealTokens(t *testing.T) {
	reg, _ := mount(t, read(t, largest), openapi.Handler(http.NotFoundHandler()))
	r, err := cost.Measure(t.Context(), reg, &cost.Client{Calls: 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", r)
	have := make(map[cost.Face]cost.Estimate)
	for _, e := range r.Faces {
		have[e.Face] = e
	}
	if cash, plain := have[cost.CaSH].Task.Once, have[cost.Plain].Task.Once; cash == 0 || cash*20 > plain {
		t.Errorf("%d tokens with three tools, %d with one for each operation", cash, plain)
	}
	if r.Sampled < 10 {
		t.Errorf("only %d functions are called", r.Sampled)
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(page), "\n")
	for i, line := range lines {
		for name, face := range map[string]cost.Face{"| three tools (`cash`) |": cost.CaSH, "| one tool for each operation (`plain`) |": cost.Plain} {
			if strings.HasPrefix(line, name) {
				e := have[face]
				lines[i] = fmt.Sprintf("%s %d | %d | %d | %d |", name, e.Definitions, e.One.Once, e.Task.Once, e.Task.Input)
			}
		}
	}
	want := strings.Join(lines, "\n")
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) || strings.Count(want, "(`cash`)")+strings.Count(want, "(`plain`)") != 2 {
		t.Errorf("README.md has other figures; -update writes them:\n%s", want)
	}
}
