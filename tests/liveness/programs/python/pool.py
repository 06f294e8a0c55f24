"""Every kind of sharing that multiprocessing offers: it needs fork, semaphores in /dev/shm, pipes and unix sockets."""
import multiprocessing as mp
from multiprocessing import shared_memory


def square(n):
    return n * n


def put(queue, name):
    block = shared_memory.SharedMemory(name=name)
    block.buf[0] = 42
    block.close()
    queue.put("from the child")


if __name__ == "__main__":
    for method in ("fork", "spawn"):
        context = mp.get_context(method)
        with context.Pool(4) as pool:
            assert sum(pool.map(square, range(100))) == 328350
        block = shared_memory.SharedMemory(create=True, size=4096)
        queue = context.Queue()
        child = context.Process(target=put, args=(queue, block.name))
        child.start()
        assert queue.get(timeout=20) == "from the child"
        child.join()
        assert child.exitcode == 0 and block.buf[0] == 42
        block.close()
        block.unlink()
    with mp.Manager() as manager:
        table = manager.dict(a=1)
        assert table["a"] == 1
    print("pool, queue, shared memory, manager: fine")
