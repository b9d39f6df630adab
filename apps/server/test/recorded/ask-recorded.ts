import { sessionHeaders } from '../support/api/call-api.ts'
import { Asker } from '../support/api/raw-requests.ts'
import type { RecordedAccess, RecordedResponse } from '../support/database/recorded-release.ts'
import type { Credential } from '../support/routes/route-sample.ts'

export type RecordedQuestion = Pick<RecordedResponse, 'as' | 'target'>

export async function askAll(
  port: number,
  access: Pick<RecordedAccess, 'key' | 'owner' | 'operator'>,
  questions: readonly RecordedQuestion[],
): Promise<RecordedResponse[]> {
  const headersOf: Readonly<Record<Credential, Record<string, string>>> = {
    key: { 'ocp-apim-subscription-key': access.key },
    owner: sessionHeaders(access.owner),
    operator: sessionHeaders(access.operator),
    nobody: {},
  }
  const asker = new Asker(port)
  const responses: RecordedResponse[] = []
  for (const { as, target } of questions) {
    const { status, text } = await asker.ask({ method: 'GET', target, headers: headersOf[as] })
    responses.push({ as, target, status, body: JSON.parse(text) as unknown })
  }
  asker.close()
  return responses
}
