import type { Command } from '../../../packages/cli/src/command.ts'
import { auditMoney } from './audit/money.ts'
import { auditVerify } from './audit/verify.ts'
import { contractsDeploy } from './contracts/deploy.ts'
import { contractsVerify } from './contracts/verify.ts'
import { databaseDistribute } from './database/distribute.ts'
import { doctor } from './doctor/doctor.ts'
import { keyCreate } from './operator/key-create.ts'
import { keyList } from './operator/key-list.ts'
import { keyRevoke } from './operator/key-revoke.ts'
import { keyRotate } from './operator/key-rotate.ts'
import { merchantCreate } from './operator/merchant-create.ts'
import { merchantList } from './operator/merchant-list.ts'
import { recoveryExport } from './recovery/export.ts'
import { recoveryShow } from './recovery/show.ts'
import { secretsReencrypt } from './secrets/reencrypt.ts'

export const operatorCommands: readonly Command[] = [
  merchantCreate,
  merchantList,
  keyCreate,
  keyList,
  keyRotate,
  keyRevoke,
  secretsReencrypt,
  recoveryShow,
  recoveryExport,
  databaseDistribute,
  auditVerify,
  auditMoney,
  contractsDeploy,
  contractsVerify,
  doctor,
]
