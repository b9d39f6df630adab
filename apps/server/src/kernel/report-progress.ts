/**
 * Runs `work` and gives what it tells on the way, then what it returns; what it throws is thrown last. Of what is
 * told faster than it is taken only the newest is kept. Work goes on when nobody takes any more.
 */
export async function* reportProgress<Progress, Result>(
  work: (tell: (progress: Progress) => void) => Promise<Result>,
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
  done.catch(() => {}) // told below, to whoever is still there
  for (;;) {
    const told = newest
    newest = undefined
    if (told !== undefined) yield told
    else if (isDone) break
    else
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  yield await done
}
