/**
 * Runs `work` and yields its progress reports, then its result. Throws its error last.
 *
 * Keeps only the newest unread report. The work continues if the consumer stops.
 */
export async function* reportProgress<Progress, Result>(
  work: (report: (progress: Progress) => void) => Promise<Result>,
): AsyncGenerator<Progress | Result> {
  let newest: Progress | undefined
  let wake = () => {}
  let isDone = false
  const done = work((progress) => {
    newest = progress
    wake()
  }).finally(() => {
    isDone = true
    wake()
  })
  done.catch(() => {}) // rethrown below
  for (;;) {
    const reported = newest
    newest = undefined
    if (reported !== undefined) yield reported
    else if (isDone) break
    else
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  yield await done
}
