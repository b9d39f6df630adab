import { accessMutations } from './access.ts'
import { eventMutations } from './events.ts'
import { managingMutations } from './managing.ts'
import type { Mutation } from './mutation.ts'
import { receiptMutations } from './receipts.ts'
import { salesMutations } from './sales.ts'
import { shopMutations } from './shops.ts'
import { waitingMutations } from './waiting.ts'

/** The checked list. */
export const mutations: readonly Mutation[] = [
  ...receiptMutations,
  ...managingMutations,
  ...accessMutations,
  ...salesMutations,
  ...shopMutations,
  ...eventMutations,
  ...waitingMutations,
]
