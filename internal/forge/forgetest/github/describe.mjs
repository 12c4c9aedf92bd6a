// Cuts GitHub's API description down to the paths that are asked for, with all
// that they refer to: Prism starts seven times faster.
import { readFileSync, writeFileSync } from "node:fs";

const [, , from, to] = process.argv;
const repo = "/repos/{owner}/{repo}";
const paths = [
  "/app",
  "/app/installations/{installation_id}/access_tokens",
  "/user",
  `${repo}/check-runs`,
  `${repo}/check-runs/{check_run_id}`,
  `${repo}/collaborators/{username}/permission`,
  `${repo}/commits`,
  `${repo}/commits/{commit_sha}/pulls`,
  `${repo}/commits/{ref}/check-runs`,
  `${repo}/commits/{ref}/statuses`,
  `${repo}/installation`,
  `${repo}/issues/comments/{comment_id}`,
  `${repo}/issues/comments/{comment_id}/reactions`,
  `${repo}/issues/{issue_number}/comments`,
  `${repo}/pulls`,
  `${repo}/pulls/{pull_number}`,
  `${repo}/statuses/{sha}`,
];

const whole = JSON.parse(readFileSync(from, "utf8"));
const out = { openapi: whole.openapi, info: whole.info, servers: whole.servers, paths: {}, components: {} };

function follow(node) {
  if (node === null || typeof node !== "object") return;
  for (const [key, value] of Object.entries(node)) {
    if (key === "$ref" && typeof value === "string" && value.startsWith("#/components/")) {
      const [, , section, name] = value.split("/");
      out.components[section] ??= {};
      if (name in out.components[section]) continue;
      out.components[section][name] = whole.components[section][name];
      follow(whole.components[section][name]);
    } else {
      follow(value);
    }
  }
}

for (const path of paths) {
  if (!whole.paths[path]) throw new Error(`GitHub's description has no ${path}`);
  out.paths[path] = whole.paths[path];
  follow(out.paths[path]);
}
writeFileSync(to, JSON.stringify(out));
