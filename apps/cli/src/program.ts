import { version } from '@sluice/server/src/app/version.ts'
import { ApiError } from '@sluice/server/src/kernel/api-error.ts'
import { Outage, outageCode } from '@sluice/server/src/kernel/outage.ts'
import type { Program } from '../../../packages/cli/src/command.ts'
import { commands } from '../../../packages/cli/src/commands.ts'
import { CliFailure, exitCodes } from '../../../packages/cli/src/failure.ts'
import { operatorCommands } from './commands.ts'

export const program: Program = {
  name: 'npm run cli --',
  version,
  commands: [...commands, ...operatorCommands],
  explain(error) {
    if (error instanceof ApiError)
      return new CliFailure(exitCodes.failed, error.message, undefined, error.code)
    if (error instanceof Outage)
      return new CliFailure(exitCodes.failed, error.message, undefined, outageCode(error))
    return undefined
  },
}
