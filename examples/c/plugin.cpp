// A plug-in as host programs for 3D have them, in C++17: smoke around a body that belongs to the
// host, worked out in the host's own threads, with progress, cancel, views of the grid, and a
// shutdown that leaves nothing behind. The host here is main().
//
//     cmake -S . -B build -Dvorton_DIR="$(vorton sdk --cmake-dir)" && cmake --build build
//
// or, without CMake,
//
//     c++ -std=c++17 plugin.cpp -o plugin $(vorton sdk --cflags --libs) -pthread
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <vorton.h>
#include <vorton/host.h>

namespace
{

using Vector = std::array<double, 3>;

void check(vt_status status)
{
    if (status != VT_OK)
        throw std::runtime_error(vt_error_message());
}

// The library may be newer than the header that this was compiled with, within a major version.
// What hosts load plug-ins with may find another library than the linker did: look before use.
void check_version()
{
    int major = 0, minor = 0, patch = 0;
    if (std::sscanf(vt_version(), "%d.%d.%d", &major, &minor, &patch) != 3)
        throw std::runtime_error(std::string("no version: ") + vt_version());
    const int number = major * 10000 + minor * 100 + patch;
    if (major != VORTON_VERSION_MAJOR || number < VORTON_VERSION_NUMBER)
        throw std::runtime_error(std::string("vorton is ") + vt_version() + ", needed is " +
                                 VORTON_VERSION + " or newer of the same major version");
}

// ---- what a host has ----

// Threads that wait for work. Simulations that are stepped at the same time may share it.
class Pool
{
  public:
    explicit Pool(int size)
    {
        for (int n = 1; n < size; n++) // whoever calls run works, too
            threads_.emplace_back([this] { work(); });
    }

    ~Pool()
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ends_ = true;
        }
        wake_.notify_all();
        for (std::thread &thread : threads_)
            thread.join();
    }

    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    int size() const
    {
        return static_cast<int>(threads_.size()) + 1;
    }
    long calls() const
    {
        return calls_;
    }

    // task(n) for n = 0 .. count - 1; returns when all have returned.
    void run(int count, const std::function<void(int)> &task)
    {
        std::atomic<int> left{count - 1};
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            for (int n = 1; n < count; n++)
                waiting_.push_back([&task, &left, n] {
                    task(n);
                    left.fetch_sub(1, std::memory_order_release);
                });
        }
        wake_.notify_all();
        task(0);
        while (take_one()) {
        }
        while (left.load(std::memory_order_acquire) > 0)
            std::this_thread::yield();
        calls_ += count;
    }

  private:
    bool take_one()
    {
        std::function<void()> job;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (waiting_.empty())
                return false;
            job = std::move(waiting_.back());
            waiting_.pop_back();
        }
        job();
        return true;
    }

    void work()
    {
        for (;;) {
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
                if (ends_)
                    return;
            }
            take_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<std::function<void()>> waiting_;
    std::vector<std::thread> threads_;
    std::atomic<long> calls_{0};
    bool ends_ = false;
};

// An object of the host's scene, whose place at any time the host alone knows.
struct Ball {
    double radius = 0.25;

    static Vector place(double time)
    {
        return {0.6 * std::sin(2.0 * time), 0.0, 1.0};
    }
};

// ---- the plug-in ----

// The library works in the pool of the host as long as this lives: once for each process, and
// longer than any simulation.
class LibraryInPool
{
  public:
    explicit LibraryInPool(Pool &pool)
    {
        vt_tasks tasks{};
        tasks.struct_size = sizeof tasks;
        tasks.threads = pool.size();
        tasks.run = &LibraryInPool::run;
        tasks.context = &pool;
        check(vt_set_tasks(&tasks));
    }

    ~LibraryInPool()
    {
        vt_set_tasks(nullptr);
    }

    LibraryInPool(const LibraryInPool &) = delete;
    LibraryInPool &operator=(const LibraryInPool &) = delete;

  private:
    // Called from C: nothing may be thrown out of it.
    static void run(void *context, std::int32_t count, void (*task)(void *, std::int32_t),
                    void *data) noexcept
    {
        static_cast<Pool *>(context)->run(count, [task, data](int n) { task(data, n); });
    }
};

// Smoke that rises past a ball.
class Smoke
{
  public:
    // Returns false to end the frame; done is its share so far, 0 .. 1.
    using Progress = std::function<bool(double done)>;

    explicit Smoke(const Ball &ball) : simulation_(create(), &vt_destroy_simulation)
    {
        add_source();
        add_ball(ball);
        check(vt_set_progress(simulation_.get(), &Smoke::ask, this));
    }

    // What ask() is given points here.
    Smoke(const Smoke &) = delete;
    Smoke &operator=(const Smoke &) = delete;

    // Goes on to `time`, while the ball goes to where the host has it then. False: it was ended
    // between two substeps; what is done stays, and the next call goes on from there.
    bool advance(double time, const Progress &progress = {})
    {
        const double dt = time - vt_time(simulation_.get());
        const Vector target = Ball::place(time);
        vt_body_change change;
        vt_default_body_change(&change);
        change.position = target.data();
        change.over = dt; // it sweeps particles along its way
        check(vt_set_body(simulation_.get(), ball_, &change));
        progress_ = progress;
        const vt_status status = vt_step(simulation_.get(), dt);
        if (status == VT_CANCELLED)
            return false;
        check(status);
        return true;
    }

    double time() const
    {
        return vt_time(simulation_.get());
    }

    Vector ball() const
    {
        vt_body_state state{};
        state.struct_size = sizeof state;
        check(vt_get_body(simulation_.get(), ball_, &state));
        return {state.position[0], state.position[1], state.position[2]};
    }

    // Rows of x y z that belong to the library: to be read until the next call that changes it.
    const float *tracers(std::int64_t &count) const
    {
        vt_array array{};
        array.struct_size = sizeof array;
        check(vt_column(simulation_.get(), VT_TRACERS, "position", &array));
        count = array.shape[0];
        return static_cast<const float *>(array.data);
    }

    // Largest speed at the nodes of the grid, m/s, read where the solver has it.
    double largest_speed() const
    {
        vt_grid_view view{};
        view.struct_size = sizeof view;
        check(vt_get_grid(simulation_.get(), VT_GRID_velocity, &view));
        double most = 0;
        for (std::int64_t k = 0; k < view.shape[0]; k++)
            for (std::int64_t j = 0; j < view.shape[1]; j++)
                for (std::int64_t i = 0; i < view.shape[2]; i++) {
                    const char *const node = static_cast<const char *>(view.data) +
                                             k * view.strides[0] + j * view.strides[1] +
                                             i * view.strides[2];
                    double square = 0;
                    for (std::int64_t c = 0; c < view.shape[3]; c++) {
                        float value;
                        std::memcpy(&value, node + c * view.strides[3], sizeof value);
                        square += static_cast<double>(value) * static_cast<double>(value);
                    }
                    most = std::max(most, square);
                }
        return std::sqrt(most);
    }

  private:
    static vt_simulation *create()
    {
        vt_simulation_def def;
        vt_default_simulation(&def);
        def.threads = 2;
        vt_simulation *simulation = nullptr;
        check(vt_create_simulation(&def, &simulation));
        return simulation;
    }

    void add_source()
    {
        vt_jet_def jet;
        vt_default_jet(&jet);
        jet.radius = 0.3;
        jet.speed = 2;
        jet.layers = 1;
        check(vt_add_jet(simulation_.get(), &jet, nullptr));
        vt_tracers_def smoke;
        vt_default_tracers(&smoke);
        smoke.shape.kind = VT_SHAPE_DISK;
        smoke.shape.radius = jet.radius;
        smoke.shape.size[2] = 0.1;
        smoke.rate = 4000;
        check(vt_add_tracers(simulation_.get(), &smoke, nullptr));
    }

    // Without a density it has no mass: it goes where it is sent.
    void add_ball(const Ball &ball)
    {
        vt_shape shape;
        vt_default_shape(&shape);
        const Vector start = Ball::place(0);
        std::copy(start.begin(), start.end(), shape.center);
        shape.radius = ball.radius;
        vt_body_def body;
        vt_default_body(&body);
        body.name = "ball";
        body.shapes = &shape;
        body.shape_count = 1;
        body.panels = 80;
        check(vt_add_body(simulation_.get(), &body, &ball_));
    }

    static int ask(void *context, const vt_progress *progress) noexcept
    {
        const Smoke *const self = static_cast<const Smoke *>(context);
        return self->progress_ && !self->progress_(progress->done / progress->step);
    }

    std::unique_ptr<vt_simulation, void (*)(vt_simulation *)> simulation_;
    std::int32_t ball_ = 0;
    Progress progress_;
};

// ---- the host ----

constexpr int frames = 6;
constexpr double fps = 24;

// Frames with the ball where the host has it; a digest of where the smoke is at the end.
std::uint64_t play(bool says)
{
    Smoke smoke{Ball{}};
    for (int frame = 1; frame <= frames; frame++)
        smoke.advance(frame / fps);
    std::int64_t count;
    const float *const position = smoke.tracers(count);
    std::uint64_t digest = 0xcbf29ce484222325u;
    for (std::int64_t n = 0; n < 3 * count; n++) {
        std::uint32_t bits;
        std::memcpy(&bits, position + n, sizeof bits);
        digest = (digest ^ bits) * 0x100000001b3u;
    }
    if (says) {
        const Vector ball = smoke.ball(), there = Ball::place(frames / fps);
        std::printf("ball %.9f %.9f %.9f, host %.9f %.9f %.9f\n", ball[0], ball[1], ball[2],
                    there[0], there[1], there[2]);
        std::printf("%lld tracers, at most %.3f m/s\n", static_cast<long long>(count),
                    smoke.largest_speed());
    }
    return digest;
}

// A long frame that an artist ends in the middle, and then has to the end.
void cancel()
{
    Smoke smoke{Ball{}};
    const double end = 0.3;
    std::atomic<bool> cancelled{false};
    int heard = 0;
    const bool whole = smoke.advance(end, [&](double done) {
        heard++;
        if (done > 0.25) // in a host this is set by the thread of its windows
            cancelled = true;
        return !cancelled;
    });
    std::printf("cancelled %d after %d substeps at %.6f s of %.6f s\n", !whole, heard, smoke.time(),
                end);
    cancelled = false;
    const bool rest = smoke.advance(end);
    const Vector ball = smoke.ball(), there = Ball::place(end);
    std::printf("went on %d to %.6f s, ball off by %.1e m\n", rest, smoke.time(),
                std::hypot(ball[0] - there[0], ball[1] - there[1], ball[2] - there[2]));
}

} // namespace

int main()
{
    try {
        check_version();
        std::uint64_t in_pool;
        {
            Pool pool(2);
            const LibraryInPool use(pool);
            std::printf("vorton %s, threads of the %s\n", vt_version(), vt_backend());
            in_pool = play(true);
            cancel();
            std::printf("%ld calls in the pool\n", pool.calls());
        } // the library works in threads of its own again, the pool has ended
        std::printf("threads of the %s: %s bits\n",
                    std::strcmp(vt_backend(), "host") == 0 ? "host" : "library",
                    play(false) == in_pool ? "same" : "other");
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "plugin: %s\n", error.what());
        return 1;
    }
}
