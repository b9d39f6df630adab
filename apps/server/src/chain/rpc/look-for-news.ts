import type { ChainHead, NewsQuestion } from '../chain.ts'
import { agreeOnHead, askAll, type Endpoints, headCalls, readHeadAnswers } from './agree.ts'
import type { Endpoint } from './endpoint.ts'
import { readValue } from './read-answer.ts'
import { balanceCalls, readBalanceAnswers } from './read-balances.ts'
import { readLogList } from './read-logs.ts'
import { EndpointUnavailable, logsCall, type RpcAnswer } from './rpc.ts'

/** Where the chain stands, and whether an endpoint saw anything new up to there. */
type Look = { readonly head: ChainHead; readonly isStill: boolean }

/**
 * Asks each endpoint in one request where the chain stands and what is new. The head is agreed upon as ever; of two
 * endpoints and more, none may have seen anything, and two have to have looked.
 */
export async function lookForNews(endpoints: Endpoints, question: NewsQuestion): Promise<Look> {
  const [first, ...others] = endpoints.all
  if (first && others.length === 0) return lookFrom(first, question)
  const answered = await askAll(endpoints, (endpoint) => lookFrom(endpoint, question))
  const looks = answered.map(({ answer }) => answer)
  const head = await agreeOnHead(
    endpoints,
    looks.map((look) => look.head),
  )
  return { head, isStill: looks.length > 1 && looks.every(({ isStill }) => isStill) }
}

/** The head is asked for first, since most nodes answer a batch in its order. */
async function lookFrom(endpoint: Endpoint, question: NewsQuestion): Promise<Look> {
  const { from, patterns, balances } = question
  const logCalls = patterns.map((pattern) => logsCall({ ...pattern, from, to: 'latest' }))
  const calls = [...headCalls, ...logCalls, ...balanceCalls([...balances.keys()], 'latest')]
  const answers = await endpoint.ask(calls)
  const logsEnd = headCalls.length + logCalls.length
  const news = { logs: answers.slice(headCalls.length, logsEnd), balances: answers.slice(logsEnd) }
  return { head: readHeadAnswers(endpoint, answers), isStill: isNothing(news, question) }
}

/** What cannot be read may be news: whoever looks closer finds out what is wrong with it. */
function isNothing(
  said: { readonly logs: readonly RpcAnswer[]; readonly balances: readonly RpcAnswer[] },
  { isNews, balances }: NewsQuestion,
): boolean {
  try {
    if (said.logs.some((answer) => readValue(answer, readLogList).some(isNews))) return false
    const held = readBalanceAnswers(said.balances, balances.size)
    return held !== undefined && [...balances.values()].every((balance, i) => balance === held[i])
  } catch (error) {
    if (error instanceof EndpointUnavailable) return false
    throw error
  }
}
