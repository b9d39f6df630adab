import type { Command } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { openSluice } from '../settings.ts'

export const webhookTest: Command = {
  path: ['webhook', 'test'],
  args: ['URL'],
  summary: 'Tests a webhook endpoint with deliveries that it must accept and deliveries that it must reject',
  details:
    'The service sends the deliveries, so it must be able to reach the URL. Exits with code 1 if a check fails.',
  async run({ env, out, signal }, input) {
    const [url = ''] = input.args
    if (!out.isJson) out.note('Testing; this takes a few seconds …')
    const report = await openSluice(env, input).webhooks.test(url, { signal })
    out.result(report, () => {
      for (const { name, result, advice, expected } of report.checks) {
        const style = result === 'passed' ? 'good' : result === 'failed' ? 'bad' : 'weak'
        out.line(
          `${out.paint(style, result.padEnd(7))}  ${name.padEnd(16)}  ${result === 'failed' ? (advice ?? expected) : expected}`,
        )
      }
      out.line()
      out.line(
        report.ok
          ? out.paint('good', 'This endpoint passes every check.')
          : `Failed checks: ${report.errors.join(', ')}`,
      )
    })
    return report.ok ? exitCodes.done : exitCodes.failed
  },
}
