import { expect, test } from 'vitest'
import { AnswerMemory } from './answer-memory.ts'

const message = (kind: string, body: string): Buffer => {
  const bytes = Buffer.alloc(5 + Buffer.byteLength(body))
  bytes.write(kind, 0)
  bytes.writeUInt32BE(bytes.length - 1, 1)
  bytes.write(body, 5)
  return bytes
}

/** Reads as a socket does, in pieces no larger than the room there is, and gives what was handed on. */
function readInPieces(memory: AnswerMemory, stream: Buffer, pieceBytes: number): string[] {
  const handedOn: string[] = []
  for (let at = 0; at < stream.length; ) {
    const room = memory.room()
    const count = Math.min(pieceBytes, room.length, stream.length - at)
    stream.copy(room, 0, at, at + count)
    at += count
    memory.take(count, (messages) => handedOn.push(messages.toString('latin1')))
  }
  return handedOn
}

test('messages are handed on whole and in their order, wherever reads part them', () => {
  const stream = Buffer.concat([
    message('T', 'a'),
    message('Z', ''),
    message('D', 'bcdef'),
    message('C', 'g'),
  ])
  for (let pieceBytes = 1; pieceBytes <= stream.length; pieceBytes++) {
    const handedOn = readInPieces(new AnswerMemory(), stream, pieceBytes)
    expect(handedOn.join('')).toBe(stream.toString('latin1'))
    for (const each of handedOn) expect('TZDC').toContain(each[0])
    const first = Buffer.from(handedOn[0] ?? '', 'latin1')
    expect(first.length).toBeGreaterThanOrEqual(6)
  }
})

test('a message that is larger than what is kept comes whole, and its room is given back', () => {
  const memory = new AnswerMemory()
  const usual = memory.room().length
  const large = message('D', 'x'.repeat(5_000_000))
  const handedOn = readInPieces(memory, Buffer.concat([message('T', 'a'), large, message('Z', 'I')]), 65_536)
  expect(handedOn.join('')).toBe(`${message('T', 'a')}${large.toString('latin1')}${message('Z', 'I')}`)
  expect(memory.room().length).toBe(usual)
})

test('what fails while messages are handed on loses nothing of the next ones', () => {
  const memory = new AnswerMemory()
  const [one, two] = [message('T', 'one'), message('D', 'two')]
  Buffer.concat([one, two.subarray(0, 4)]).copy(memory.room())
  const fail = () => {
    throw new Error('handing on failed')
  }
  expect(() => memory.take(one.length + 4, fail)).toThrow('handing on failed')
  two.copy(memory.room(), 0, 4)
  let handedOn = ''
  memory.take(two.length - 4, (messages) => {
    handedOn = messages.toString('latin1')
  })
  expect(handedOn).toBe(two.toString('latin1'))
})
