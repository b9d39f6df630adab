import { connect } from 'node:net'
import { measureOwnMs } from '../programs/waited-for-processor.ts'

const patienceMs = 2_000

/**
 * Sends bytes to a server of this process and gives back the first answer as it came, and how long it took, less what
 * the process stood in line for a processor. What takes longer than two seconds, or than is said, is cut off and has no
 * answer.
 */
export function exchange(
  port: number,
  bytes: Buffer,
  limitMs = patienceMs,
): Promise<{ text: string; ms: number }> {
  const ownMs = measureOwnMs()
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ text, ms: ownMs() })
    }
    const timer = setTimeout(end, limitMs)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      text = text.replace('HTTP/1.1 100 Continue\r\n\r\n', '')
      if (isWhole(bytes, text)) end()
    })
    socket.on('error', end)
    socket.on('close', end)
    socket.write(bytes)
  })
}

function isWhole(asked: Buffer, text: string): boolean {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  return (
    (asked.subarray(0, 5).toString() === 'HEAD ' && text.includes('\r\n\r\n')) ||
    head.includes('HTTP/1.1 204') ||
    /event-stream/.test(head) ||
    (length !== undefined && body.length >= Number(length))
  )
}
