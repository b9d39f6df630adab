import { expect, test } from 'vitest'
import { AskedTogether } from './asked-together.ts'

test('whoever asks while an answer is under way gets the next one, with all others who did', async () => {
  const answers: PromiseWithResolvers<number>[] = []
  const asked = new AskedTogether(() => {
    const answer = Promise.withResolvers<number>()
    answers.push(answer)
    return answer.promise
  })
  const first = asked.ask()
  const later = [asked.ask(), asked.ask(), asked.ask()]
  expect(answers).toHaveLength(1)
  answers[0]?.resolve(1)
  expect(await first).toBe(1)
  await Promise.resolve()
  expect(answers).toHaveLength(2)
  answers[1]?.resolve(2)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
})

test('one that fails fails those who asked it, and the next is asked all the same', async () => {
  let count = 0
  const asked = new AskedTogether(async () => {
    count += 1
    if (count === 1) throw new Error('away')
    return count
  })
  const [first, second] = [asked.ask(), asked.ask()]
  await expect(first).rejects.toThrow('away')
  expect(await second).toBe(2)
})
