import { AsyncLocalStorage } from 'node:async_hooks'
import { DatastoreAway } from '../../src/platform/database/degraded.ts'

/** Who works: a replica of the service, or the people around it. Nothing of a dead owner continues. */
export type Owner = { readonly name: string; isDead: boolean; isFrozen: boolean }

export type Task = {
  readonly owner: Owner
  readonly name: string
  isOver: boolean
}

/** A point at which a task waits for its turn. */
export type Gate = {
  readonly task: Task
  readonly what: string
  /** Whether the task waits for a lock of another task. It is tried again when another task has moved. */
  readonly isBlocked: boolean
  /** Whether the task has an open transaction. */
  readonly isInside: boolean
  open(error?: Error): void
}

/** Thrown at every gate of an owner that was killed. */
export class Killed extends Error {}

/**
 * Lets one task at a time continue, from one gate to the next. A gate stands before each statement and before
 * each request, so the choices decide the whole order.
 *
 * The database's work and the timers of Node take real time, but nothing else runs meanwhile.
 */
export class Scheduler {
  readonly #current = new AsyncLocalStorage<Task>()
  readonly #tasks = new Set<Task>()
  #gates: Gate[] = []
  #busyCount = 0
  #whenIdle = () => {}
  /** Receives what a task threw, unless its owner was killed. */
  onError: (task: Task, error: unknown) => void = () => {}

  get gates(): readonly Gate[] {
    return this.#gates
  }

  /** Tasks that are not over, such as those that wait for a timer. */
  get tasks(): ReadonlySet<Task> {
    return this.#tasks
  }

  get current(): Task | undefined {
    return this.#current.getStore()
  }

  /** Starts a task, which runs until its first gate. */
  async start(owner: Owner, name: string, work: () => Promise<unknown>): Promise<Task> {
    const task: Task = { owner, name, isOver: false }
    this.#tasks.add(task)
    this.#current.run(task, work).then(
      () => this.#end(task),
      (error: unknown) => {
        this.#end(task)
        if (!owner.isDead) this.onError(task, error)
      },
    )
    await this.settle()
    return task
  }

  /** Waits for the task's turn. Outside a task, continues at once. */
  pass(what: string, { isBlocked = false, isInside = false } = {}): Promise<void> {
    const task = this.#current.getStore()
    if (!task) return Promise.resolve()
    if (task.owner.isDead) return Promise.reject(new Killed(what))
    return new Promise((resolve, reject) => {
      const open = (error?: Error) => {
        this.#gates = this.#gates.filter((each) => each !== gate)
        if (error) reject(error)
        else resolve()
      }
      const gate: Gate = { task, what, isBlocked, isInside, open }
      this.#gates.push(gate)
    })
  }

  /** Lets a gate's task continue until its next gate. */
  async resume(gate: Gate): Promise<void> {
    gate.open()
    await this.settle()
  }

  /** Ends a transaction, as PostgreSQL does with this error code. */
  async abort(gate: Gate, code: '25P03' | '40P01'): Promise<void> {
    const cause = Object.assign(new Error(`PostgreSQL ended the transaction: ${code}`), { code })
    gate.open(new DatastoreAway(cause.message, { cause }))
    await this.settle()
  }

  /** Throws at each gate of the owner, now and later. Its open transactions are rolled back. */
  async kill(owner: Owner): Promise<void> {
    owner.isDead = true
    for (const gate of this.#gates) if (gate.task.owner === owner) gate.open(new Killed(gate.what))
    await this.settle()
  }

  /** Marks the start of work in real time. Call the returned function at its end, at least once. */
  begin(): () => void {
    let isOver = false
    this.#busyCount++
    return () => {
      if (isOver) return
      isOver = true
      this.#busyCount--
      if (this.#busyCount === 0) this.#whenIdle()
    }
  }

  /** Waits until every task is over, at a gate, or waiting for the virtual clock. */
  async settle(): Promise<void> {
    for (let quietRounds = 0; quietRounds < 2; ) {
      if (this.#busyCount > 0) {
        quietRounds = 0
        await new Promise<void>((resolve) => {
          this.#whenIdle = resolve
        })
      } else quietRounds++
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #end(task: Task): void {
    task.isOver = true
    this.#tasks.delete(task)
  }
}
