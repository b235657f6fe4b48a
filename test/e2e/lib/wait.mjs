// Waiting for conditions. Nothing in these tests sleeps for a time that was guessed.

// until asks again and again until the answer is truthy, and returns it. An error counts as "not yet".
export async function until(what, ask, { within = 10_000, every = 40 } = {}) {
  const end = Date.now() + within;
  let last;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`, { cause: last });
    await new Promise((resume) => setTimeout(resume, every));
  }
}
