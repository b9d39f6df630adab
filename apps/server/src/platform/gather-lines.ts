/** Where lines go. */
type Destination = { write(lines: string): unknown }

/**
 * Hands lines on together that are written in one turn of the event loop, since each write of its own wakes another
 * thread. They wait for the end of the turn and no longer; what waits when the process exits is handed on then.
 */
export function gatherLines(destination: Destination): { write(line: string): void } {
  let waiting = ''
  const handOn = () => {
    const lines = waiting
    waiting = ''
    if (lines !== '') destination.write(lines)
  }
  // Before whoever empties the destination at the exit.
  process.prependListener('exit', handOn)
  return {
    write(line) {
      if (waiting === '') setImmediate(handOn)
      waiting += line
    },
  }
}
