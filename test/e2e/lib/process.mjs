// Programs that the tests start, and end by their own id.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { until } from "./wait.mjs";

const patience = 30_000;

// startProgram starts a program and keeps what it prints.
export function startProgram(file, args, env = process.env) {
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const program = { pid: child.pid, out: "", child, ended: once(child, "exit") };
  child.on("error", (error) => { program.out += `${file}: ${error.message}\n`; });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => { program.out += text; });
  }
  // A test that is cut off must not leave its programs behind.
  const last = () => child.kill("SIGKILL");
  process.once("exit", last);
  program.ended.then(() => process.off("exit", last), () => {});
  return program;
}

// runProgram runs a program to its end and returns what it printed. Any status but 0 is an error.
export async function runProgram(file, args, env = process.env) {
  const program = startProgram(file, args, env);
  const [status] = await program.ended;
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status}:\n${program.out}`);
  return program.out;
}

// endProgram asks a program to end and returns its status.
export async function endProgram(program) {
  if (program.child.exitCode === null) program.child.kill("SIGTERM");
  const cut = setTimeout(() => program.child.kill("SIGKILL"), patience);
  const [status, signal] = await program.ended;
  clearTimeout(cut);
  return status ?? signal;
}

// freePort takes ports below the range of outgoing connections, so that no client ends up on one that a server will want.
export async function freePort() {
  return until("a free port", () => new Promise((answer) => {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    probe.once("error", () => answer(0));
    probe.listen(port, "127.0.0.1", () => probe.close(() => answer(port)));
  }), { every: 1 });
}

// inPath reports whether a program can be found by its name.
export function inPath(name) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => folder && existsSync(join(folder, name)));
}
