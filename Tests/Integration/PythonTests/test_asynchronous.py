"""Sessions for asyncio at a real arbiter."""

import asyncio
import signal
import unittest

from audiosession import Activity, AsyncSession, Category, ClosedError, EventKind, NoArbiterError, RefusedError, WebElement, WebType
from support import ArbiterTestCase, eventually

LIMIT = 30


class AsyncSessionTests(ArbiterTestCase):
    def run_async(self, coroutine):
        asyncio.run(asyncio.wait_for(coroutine, LIMIT))

    async def command_async(self, *arguments):
        return await asyncio.to_thread(self.command, *arguments)

    def test_interruption(self):
        """INT-1: events arrive while the loop does other work, and requests do not block it."""

        async def story():
            async with AsyncSession() as session:
                await session.set_web_type(WebType.AUTO, WebElement.PLAYS_MEDIA)
                await session.activate()
                await session.set_playing(True)
                self.assertEqual(session.state.activity, Activity.ACTIVE)
                await self.command_async("call", "ring")
                async for event in session:
                    if event.kind == EventKind.INTERRUPTION_BEGAN:
                        break
                self.assertEqual(session.state.activity, Activity.INTERRUPTED)
                self.assertEqual(session.web_state, "interrupted")
                with self.assertRaises(RefusedError):
                    await session.activate()
                await self.command_async("call", "decline")
                while not (await session.next_event()).should_resume:
                    pass
                await session.activate()
                self.assertGreater(await session.id(), 0)

        self.run_async(story())

    def test_cancellation(self):
        """A request whose task is cancelled does not disturb those that follow."""

        async def story():
            async with AsyncSession() as session:
                for _ in range(50):
                    request = asyncio.create_task(session.set_playing(True))
                    await asyncio.sleep(0)
                    request.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await request
                    await session.set_playing(False)
                await session.set_category(Category.PLAYBACK)
                await session.activate()
                self.assertEqual(session.state.activity, Activity.ACTIVE)

        self.run_async(story())

    def test_closing(self):
        """Closing ends all iterations; later calls raise."""

        async def count(session):
            return [event async for event in session]

        async def story():
            session = await AsyncSession().open()
            readers = [asyncio.create_task(count(session)) for _ in range(3)]
            await asyncio.sleep(0)
            await session.close()
            await session.close()
            self.assertEqual(await asyncio.gather(*readers), [[], [], []])
            for call in (session.activate, session.next_event):
                with self.assertRaises(ClosedError):
                    await call()
            with self.assertRaises(ClosedError):
                _ = session.state

        self.run_async(story())

    def test_many(self):
        """Several sessions in one loop have their own events."""

        async def story():
            async with AsyncSession() as first, AsyncSession() as second:
                for session in (first, second):
                    await session.set_category(Category.PLAYBACK)
                await first.activate()
                await second.activate()
                while (event := await first.next_event()).kind != EventKind.INTERRUPTION_BEGAN:
                    pass
                self.assertEqual(event.by, await second.id())
                await second.deactivate()
                while not (await first.next_event()).should_resume:
                    pass

        self.run_async(story())

    def test_closing_is_not_cancelled(self):
        """A session is closed although the task that closes it is cancelled while the arbiter hangs."""

        async def story():
            session = await AsyncSession().open()
            handle = session._session._handle
            self.signal_arbiter(signal.SIGSTOP)
            request = asyncio.create_task(session.set_playing(True))
            await asyncio.sleep(0)
            closing = asyncio.create_task(session.close())
            await asyncio.sleep(0)
            closing.cancel()
            await asyncio.wait([closing])
            self.assertTrue(closing.cancelled())
            self.signal_arbiter(signal.SIGCONT)
            await request
            # Not by the arbiter, which ends sessions that do not answer.
            self.assertTrue(await asyncio.to_thread(eventually, lambda: handle._is_freed))

        self.run_async(story())

    def test_closing_while_opening(self):
        async def story():
            session = AsyncSession()
            opening = asyncio.create_task(session.open())
            await asyncio.sleep(0)
            await session.close()
            with self.assertRaises(ClosedError):
                await opening
            is_gone = lambda: '"sessions":[]' in self.command("status", "--json")
            self.assertTrue(await asyncio.to_thread(eventually, is_gone))

        self.run_async(story())

    def test_opening_again(self):
        """Opening twice opens one session; after an error, or before opening, calls raise errors of the package."""

        async def story():
            session = AsyncSession()
            for call in (session.activate, session.next_event):
                with self.assertRaises(ClosedError):
                    await call()
            async with await session.open():
                self.assertIs(await session.open(), session)
                self.assertTrue(session.state.is_connected)
                self.assertEqual(await session.id(), 1)
            with self.assertRaises(ClosedError):
                await session.open()

        self.run_async(story())

    def test_failure_while_receiving(self):
        """An error while receiving reaches the program."""

        async def story():
            async with AsyncSession() as session:
                session._session.events = lambda: 1 // 0
                await self.command_async("volume", "0.5")
                with self.assertRaises(ZeroDivisionError):
                    await session.next_event()

        self.run_async(story())

    def test_no_arbiter(self):
        self.use(AUDIOSESSIOND=str(self.folder / "missing"))

        async def story():
            session = AsyncSession()
            for _ in range(2):
                with self.assertRaises(NoArbiterError):
                    await session.open()
            async with AsyncSession(required=False) as session:
                self.assertIsInstance(session.unavailable, NoArbiterError)
                await session.activate()
                self.assertEqual(session.gate.begin(64), 64)
                self.assertEqual([event async for event in session], [])
                with self.assertRaises(NoArbiterError):
                    await session.next_event()

        self.run_async(story())


if __name__ == "__main__":
    unittest.main()
