import { Socket } from 'node:net'
import { AnswerMemory } from './answer-memory.ts'

/**
 * The socket of a connection to PostgreSQL, which reads into memory of its own again and again. By default each read gets 64 KB
 * of new memory, and an answer that comes by two reads 128 KB more, which garbage has to be collected for.
 *
 * The driver copies what it keeps of an answer before it returns (texts are all that answers are read as).
 *
 * @param config.ssl - An encrypted connection reads for itself.
 */
export function openAnswerSocket({ ssl }: { readonly ssl?: unknown } = {}): Socket {
  if (ssl) return new Socket()
  const answers = new AnswerMemory()
  const socket: Socket = new Socket({
    onread: {
      buffer: () => answers.room(),
      callback(count) {
        answers.take(count, (messages) => socket.emit('data', messages))
        return true
      },
    },
  })
  return socket
}
