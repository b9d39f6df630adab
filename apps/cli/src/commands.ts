import { auditMoney } from './audit/money.ts'
import { auditVerify } from './audit/verify.ts'
import type { Command } from './command.ts'
import { contractsDeploy } from './contracts/deploy.ts'
import { contractsVerify } from './contracts/verify.ts'
import { databaseDistribute } from './database/distribute.ts'
import { doctor } from './doctor/doctor.ts'
import { eventsStream } from './events/stream.ts'
import { eventsTail } from './events/tail.ts'
import { keyCreate } from './operator/key-create.ts'
import { keyList } from './operator/key-list.ts'
import { keyRevoke } from './operator/key-revoke.ts'
import { keyRotate } from './operator/key-rotate.ts'
import { merchantCreate } from './operator/merchant-create.ts'
import { merchantList } from './operator/merchant-list.ts'
import { orderCreate } from './orders/create.ts'
import { productCreate } from './products/create.ts'
import { productList } from './products/list.ts'
import { receiptCreate } from './receipts/create.ts'
import { receiptExport } from './receipts/export.ts'
import { receiptGet } from './receipts/get.ts'
import { receiptList } from './receipts/list.ts'
import { receiptTimeline } from './receipts/timeline.ts'
import { receiptWatch } from './receipts/watch.ts'
import { recoveryShow } from './recovery/show.ts'
import { trigger } from './sandbox/trigger.ts'
import { secretsReencrypt } from './secrets/reencrypt.ts'
import { webhooksListen } from './webhooks/listen.ts'
import { webhooksTest } from './webhooks/test.ts'

export const commands: readonly Command[] = [
  receiptCreate,
  receiptGet,
  receiptList,
  receiptExport,
  receiptTimeline,
  receiptWatch,
  orderCreate,
  productCreate,
  productList,
  eventsTail,
  eventsStream,
  webhooksListen,
  webhooksTest,
  trigger,
  merchantCreate,
  merchantList,
  keyCreate,
  keyList,
  keyRotate,
  keyRevoke,
  secretsReencrypt,
  recoveryShow,
  databaseDistribute,
  auditVerify,
  auditMoney,
  contractsDeploy,
  contractsVerify,
  doctor,
]
