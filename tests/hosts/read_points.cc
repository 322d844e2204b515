// Prints the points of a .vdb file as OpenVDB itself reads them: a line each, "x y z", then the
// name and the numbers of each attribute.
//
//     g++ -std=c++17 read_points.cc -o read_points -lopenvdb -ltbb -lboost_iostreams
//     ./read_points FILE

#include <cstdio>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>

using namespace openvdb;
using namespace openvdb::points;

static void print(const std::string &name, const AttributeArray &array, Index row)
{
    printf(" %s", name.c_str());
    if (array.valueType() == "vec3s") {
        const Vec3f value = AttributeHandle<Vec3f>(array).get(row);
        printf(" %.9g %.9g %.9g", value[0], value[1], value[2]);
    } else if (array.valueType() == "int64") {
        printf(" %lld", (long long)AttributeHandle<int64_t>(array).get(row));
    } else {
        printf(" %.9g", AttributeHandle<float>(array).get(row));
    }
}

static void print(const PointDataGrid &grid)
{
    printf("%s %.9g %llu\n", grid.getName().c_str(), grid.voxelSize()[0],
           (unsigned long long)pointCount(grid.tree()));
    for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
        leaf->validateOffsets();
        const AttributeSet &set = leaf->attributeSet();
        const AttributeHandle<Vec3f> places(leaf->constAttributeArray("P"));
        for (auto row = leaf->beginIndexOn(); row; ++row) {
            const Vec3d place = row.getCoord().asVec3d() + Vec3d(places.get(*row));
            const Vec3d world = grid.indexToWorld(place);
            printf("%.17g %.17g %.17g", world[0], world[1], world[2]);
            for (const auto &entry : set.descriptor().map())
                if (entry.first != "P")
                    print(entry.first, *set.getConst(entry.second), *row);
            printf("\n");
        }
    }
}

int main(int, char **arguments)
{
    openvdb::initialize();
    io::File file(arguments[1]);
    file.open(false);
    const GridPtrVecPtr grids = file.getGrids();
    for (const GridBase::Ptr &grid : *grids)
        print(*gridPtrCast<PointDataGrid>(grid));
    return 0;
}
