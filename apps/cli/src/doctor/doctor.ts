import type { Command, Input, TestContext } from '../../../../packages/cli/src/command.ts'
import { exitCodes } from '../../../../packages/cli/src/failure.ts'
import { clean } from '../../../../packages/cli/src/output.ts'
import { findTarget, readLocal } from '../../../../packages/cli/src/settings.ts'
import { broken, type Finding, skipped } from './finding.ts'

export const doctor: Command = {
  path: ['doctor'],
  summary:
    'Checks settings, database, chain, clocks, split, key and webhooks, and explains how to fix each problem',
  options: {
    webhook: { value: 'URL', help: 'also test this webhook endpoint' },
  },
  details: `On the machine of the service, with its settings, the command checks everything. On another machine, with --url and
--key, it checks the parts that it can reach. Errors exit with code 1; warnings alone exit with 0.`,
  async run(context, input) {
    const { out } = context
    const findings: Finding[] = []
    for await (const finding of examine(context, input)) {
      findings.push(finding)
      const { name, result, text, advice } = finding
      const style = result === 'ok' ? 'good' : result === 'fail' ? 'bad' : result === 'warn' ? 'warn' : 'weak'
      out.line(`${out.paint(style, result.padEnd(4))}  ${clean(name).padEnd(16)}  ${clean(text)}`)
      if (advice) out.line(`${' '.repeat(24)}→ ${clean(advice)}`)
    }
    const count = (result: Finding['result']) => findings.filter((each) => each.result === result).length
    const ok = count('fail') === 0
    out.result({ ok, findings }, () => {
      out.line()
      out.line(
        ok
          ? out.paint('good', `No errors, ${count('warn')} warnings.`)
          : `${count('fail')} errors, ${count('warn')} warnings.`,
      )
    })
    return ok ? exitCodes.done : exitCodes.failed
  },
}

async function* examine({ env }: TestContext, input: Input): AsyncGenerator<Finding> {
  const { checkSettings } = await import('./check-settings.ts')
  const { checkDatabase } = await import('./check-database.ts')
  const { checkChain } = await import('./check-chain.ts')
  const { checkRates } = await import('./check-rates.ts')
  const { systemClock } = await import('@sluice/server/src/kernel/clock.ts')
  const { HttpOutbound } = await import('@sluice/server/src/platform/outbound/http-outbound.ts')
  const { checkReceiver, checkService } = await import('./check-service.ts')
  const { config, findings } = checkSettings(env, input)
  yield* findings
  const local = readLocal(env, input)
  const isElsewhere = input.text('url') !== undefined || Boolean(env.SLUICE_URL?.trim())

  const databaseUrl = config?.databaseUrl ?? local?.databaseUrl
  if (databaseUrl) yield* await checkDatabase(databaseUrl, { isProduction: config?.isProduction ?? false })
  else yield skipped('database', 'unknown here (DATABASE_URL is not set)')

  const rpcUrls = config?.rpcUrls.length ? config.rpcUrls : local ? [local.rpcUrl] : []
  if (config && rpcUrls.length > 0) yield* await checkChain(config, rpcUrls)
  else yield skipped('chain', 'unknown here (RPC_URLS is not set)')

  if (config && !isElsewhere) {
    const outbound = new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true })
    yield* await checkRates(config, outbound).finally(() => outbound.close())
  }

  if (!isElsewhere && !local && !config?.databaseUrl) {
    yield broken(
      'service',
      'none is running in this directory',
      'Start one (`npm start`), or set --url or SLUICE_URL.',
    )
    return
  }
  const target =
    isElsewhere || local
      ? findTarget(env, input)
      : { baseUrl: config?.baseUrl ?? '', key: env.SLUICE_KEY?.trim() || input.text('key') }
  yield* await checkService(target)
  const receiver = input.text('webhook')
  if (receiver !== undefined) yield await checkReceiver(target, receiver)
}
