// Runs emulate, and Prism in front of what is upstream, until standard input
// ends. The seed of emulate is the first line of standard input; where Prism is,
// and the keys of Apps, is said on one line.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { createEmulator } from "emulate";

const require = createRequire(import.meta.url);
const { createServer } = require("@stoplight/prism-http-server");
const { getHttpOperationsFromSpec } = require("@stoplight/prism-http");

const [, , port, publicURL, upstream, description] = process.argv;
const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit(0));
const seed = JSON.parse(await new Promise((done) => lines.once("line", done)));

const hub = await createEmulator({ service: "github", port: Number(port), seed, baseUrl: publicURL });

const quiet = () => {};
const logger = { info: quiet, debug: quiet, trace: quiet, warn: quiet, success: quiet, error: quiet, fatal: console.error, child: () => logger };
const judge = createServer(await getHttpOperationsFromSpec(description), {
  cors: false,
  config: {
    isProxy: true, upstream: new URL(upstream), upstreamProxy: undefined,
    validateRequest: true, validateResponse: true, checkSecurity: false, errors: false,
    mock: { dynamic: false },
  },
  components: { logger },
});
const address = await judge.listen(0, "127.0.0.1");
console.log(JSON.stringify({ judge: address, keys: hub.generatedSecrets.map((secret) => secret.value) }));
