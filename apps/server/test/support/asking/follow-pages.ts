import type { Answer } from '../worlds/start-api.ts'

/** The bodies of all pages of a list; `ask` is given what to put behind its query to have the next one. */
export async function followPages(
  ask: (more: string) => Promise<Pick<Answer, 'body'>>,
): Promise<Answer['body'][]> {
  const pages: Answer['body'][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await ask(cursor && `&cursor=${cursor}`)
    pages.push(body)
    cursor = body.nextCursor
  }
  return pages
}
