import type { Command } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { openSluice } from '../settings.ts'

/** `webhooks test` */
export const webhooksTest: Command = {
  path: ['webhooks', 'test'],
  args: ['URL'],
  summary: 'Has the service grade a receiver: sends what it must take and what it must refuse',
  details: 'Exit code 1 where a check failed. The service must be able to reach the URL.',
  async run({ env, out, signal }, input) {
    const [url = ''] = input.args
    if (!out.isJson) out.note('Testing; this takes some seconds …')
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
          ? out.paint('good', 'This receiver does everything right.')
          : `Faults: ${report.faults.join(', ')}`,
      )
    })
    return report.ok ? exitCodes.done : exitCodes.failed
  },
}
